/** Names of time zones: those of the IANA database, spelt as it spells them. */

/** What is wrong with the name of a time zone; undefined when nothing is. Empty is UTC. */
export function timeZoneFault(name: string): string | undefined {
  if (name === "") return undefined;
  // An offset (`+01:00`) is a time zone for JavaScript, but has no entry in the database.
  const spelt = /^[A-Za-z]/.test(name) ? spellingOf(name) : undefined;
  return spelt === name ? undefined : `unknown time zone ${name}`;
}

function spellingOf(name: string): string | undefined {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
