/** Just enough of DER (ITU-T X.690) to write a certificate. */

/** One value: its tag, the length of its content, its content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body)]), body]);
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => der(0x30, ...content);
export const set = (...content: readonly Uint8Array[]): Buffer => der(0x31, ...content);
export const octets = (...content: readonly Uint8Array[]): Buffer => der(0x04, ...content);
export const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.of(0), content);
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const yes: Buffer = der(0x01, Buffer.of(0xff));

/** An unsigned integer from its bytes, the most significant first. */
export function unsigned(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.of(0) : bytes.subarray(start);
  return der(0x02, ...((digits[0] ?? 0) >= 0x80 ? [Buffer.of(0)] : []), digits);
}

/** An object identifier, such as `2.5.4.3`. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** A time as certificates write it (RFC 5280 §4.1.2.5): seconds in UTC, with two digits of the year before 2050. */
export function time(milliseconds: number): Buffer {
  const text = `${new Date(milliseconds).toISOString().replace(/\.\d+|[-:T]/g, "")}`;
  return text < "2050" ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

function lengthOf(body: Uint8Array): readonly number[] {
  if (body.length < 0x80) return [body.length];
  const hex = body.length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return [0x80 + bytes.length, ...bytes];
}

/** Seven bits a byte, all but the last with the highest bit set. */
function base128(number: number): readonly number[] {
  const septets = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    septets.unshift(0x80 + (rest % 128));
  return septets;
}
