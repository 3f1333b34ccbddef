/**
 * In continuous integration (`CI` is set) property tests draw the same cases each time: a run there judges a change, not its luck.
 * Everywhere else they try new ones, and a failure prints the seed that brings it back.
 */
import fc from "fast-check";

const SEED = 1_729;

if (process.env.CI) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
