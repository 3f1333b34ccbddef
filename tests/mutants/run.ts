/**
 * `npm run test:mutants [-- WORD…]`: plants each fault, or those whose names have a word, runs the tests that should find it, and says
 * which did. Fails when a fault is found by none. The sources stay as they are: the test runner is handed other text for one file.
 */
import { relative } from "node:path";
import { startVitest } from "vitest/node";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { pathOf, planted } from "./plant.ts";

interface Outcome {
  /** Full names of the tests that failed, with their files. */
  readonly failed: readonly string[];
  /** Test files that could not be run. */
  readonly broken: readonly string[];
  readonly passed: number;
}

async function runTests(files: readonly string[], mutant?: Mutant): Promise<Outcome> {
  const source = mutant && { path: pathOf(mutant), text: planted(mutant) };
  const vitest = await startVitest(
    "test",
    [...files],
    {
      config: false,
      include: [...files],
      watch: false,
      isolate: false,
      // Of a fault that is found once no more needs to be known.
      bail: mutant ? 1 : 0,
      testTimeout: 60_000,
      // Else the text of an earlier run would be taken.
      fsModuleCache: false,
      // Told below.
      reporters: [{}],
    },
    {
      plugins: [
        { name: "planted-fault", enforce: "pre", load: (id) => (id === source?.path ? source.text : undefined) },
      ],
    },
  );
  const modules = vitest.state.getTestModules();
  const nameOf = (path: string) => relative(process.cwd(), path);
  const outcome: Outcome = {
    failed: modules.flatMap((module) =>
      [...module.children.allTests("failed")].map(({ fullName }) => `${nameOf(module.moduleId)}: ${fullName}`),
    ),
    broken: modules.filter((module) => module.errors().length > 0).map(({ moduleId }) => nameOf(moduleId)),
    passed: modules.flatMap((module) => [...module.children.allTests("passed")]).length,
  };
  await vitest.close();
  return outcome;
}

const words = process.argv.slice(2);
const chosen = MUTANTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) console.error(`no fault is named ${words.join(" or ")}`);

let found = 0;
const sound = await runTests([...new Set(chosen.flatMap(({ tests }) => tests))]);
const unsound = [...sound.failed, ...sound.broken];
if (unsound.length > 0)
  console.log(`without any fault these fail, so that nothing can be said:\n  ${unsound.join("\n  ")}`);
else {
  for (const mutant of chosen) {
    const { failed, broken, passed } = await runTests(mutant.tests, mutant);
    const [test] = failed;
    if (broken.length > 0 && test === undefined)
      console.log(`BROKEN    ${mutant.name}: ${broken.join(", ")} could not be run`);
    else if (test === undefined) console.log(`SURVIVED  ${mutant.name}: ${passed} tests saw nothing`);
    else {
      found++;
      console.log(`caught    ${mutant.name}\n            by ${test}`);
    }
  }
}
const missed = chosen.length - found;
console.log(`${found} passed, ${missed} failed`);
process.exitCode = missed === 0 && found > 0 ? 0 : 1;
