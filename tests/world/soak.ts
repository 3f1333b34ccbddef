/**
 * `npm run test:soak [-- --steps N] [-- --seed N]`: random lives of a fleet under the real controllers until so many steps were
 * done, 1,000,000 by default. A step is something that people, games or nodes do, or a call of a controller at which a fault may strike.
 * A life that fails prints its seed; `--seed N --steps 1` lives it again.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { live, scenarios } from "./scenario.ts";

const { values } = parseArgs({ options: { steps: { type: "string" }, seed: { type: "string" } } });
const wanted = Number(values.steps ?? 1_000_000);
let seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const total = { lives: 0, steps: 0, faults: 0 };
const told = () => `${total.steps} steps in ${total.lives} lives, ${total.faults} faults injected`;

for (let next = wanted / 20; total.steps < wanted && process.exitCode === undefined; seed++) {
  const [scenario] = fc.sample(scenarios(100, 200), { seed, numRuns: 1 });
  if (!scenario) throw new Error("no scenario could be made");
  try {
    const { steps, calls, faults } = await live(scenario);
    total.lives++;
    total.steps += steps + calls;
    total.faults += faults;
  } catch (error) {
    console.error(`seed ${seed} failed:`, error, JSON.stringify(scenario));
    process.exitCode = 1;
  }
  if (total.steps < next) continue;
  console.log(told());
  next += wanted / 20;
}
console.log(`${told()}, ${process.exitCode === undefined ? "clean" : "one life failed"}`);
