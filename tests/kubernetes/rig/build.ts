/** Makes the programs of a real Kubernetes control plane from their published Go modules, once for each version. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

export const KUBERNETES_VERSION = "1.34.4";
const ETCD_VERSION = "3.6.13";

export interface Binaries {
  readonly apiServer: string;
  readonly etcd: string;
}

/** Outside the repository, since it is large and serves every checkout. */
function cacheFolder(): string {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(caches, "stadion", `kubernetes-${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}`);
}

export function hasGo(): boolean {
  return spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;
}

/** The binaries that are there already; undefined when one is missing. */
export function builtBinaries(): Binaries | undefined {
  const binaries = { apiServer: join(cacheFolder(), "kube-apiserver"), etcd: join(cacheFolder(), "etcd") };
  return Object.values(binaries).every((file) => existsSync(file)) ? binaries : undefined;
}

/** Builds what is missing: minutes the first time. Throws when Go fails; its words are on standard error. */
export function buildBinaries(): Binaries {
  const folder = cacheFolder();
  mkdirSync(folder, { recursive: true });
  build(join(folder, "kube-apiserver"), "k8s.io/kubernetes/cmd/kube-apiserver", {
    module: kubernetesModule(),
    ldflags: `-s -w -X k8s.io/component-base/version.gitVersion=v${KUBERNETES_VERSION}`,
  });
  build(join(folder, "etcd"), ".", {
    module: module(`go.etcd.io/etcd/server/v3 v${ETCD_VERSION}`),
    // The program's own folder is no importable package; this is all that stands in it.
    main: 'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n',
    ldflags: "-s -w",
  });
  const built = builtBinaries();
  if (!built) throw new Error(`go built nothing into ${folder}`);
  return built;
}

interface Recipe {
  /** Text of a go.mod. */
  readonly module: string;
  readonly main?: string;
  readonly ldflags: string;
}

function build(target: string, pkg: string, { module, main, ldflags }: Recipe): void {
  if (existsSync(target)) return;
  const folder = mkdtempSync(join(tmpdir(), "stadion-go-"));
  try {
    writeFileSync(join(folder, "go.mod"), module);
    if (main) writeFileSync(join(folder, "main.go"), main);
    const draft = `${target}.${process.pid}`;
    // As little in the way of others as it can be: a build takes all processors for minutes.
    go(["build", "-mod=mod", "-trimpath", "-ldflags", ldflags, "-o", draft, pkg], folder);
    renameSync(draft, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function go(args: readonly string[], cwd: string): void {
  const env = { ...process.env, CGO_ENABLED: "0" };
  execFileSync("nice", ["-n", "10", "go", ...args], { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
}

const module = (...requirements: readonly string[]): string =>
  ["module stadion.dev/rig", "go 1.24.0", ...requirements.map((each) => `require ${each}`), ""].join("\n");

/** Kubernetes requires its own libraries at version 0.0.0, which only its repository has; each is published as 0.MINOR.PATCH. */
function kubernetesModule(): string {
  const about = execFileSync("go", ["mod", "download", "-json", `k8s.io/kubernetes@v${KUBERNETES_VERSION}`], {
    cwd: tmpdir(),
    encoding: "utf8",
  });
  const { GoMod } = JSON.parse(about) as { readonly GoMod: string };
  const libraries = [...readFileSync(GoMod, "utf8").matchAll(/^\s*(k8s\.io\/[\w-]+) v0\.0\.0$/gm)].map(
    ([, name]) => name,
  );
  const published = KUBERNETES_VERSION.replace(/^1\./, "v0.");
  const replaced = libraries.map((name) => `replace ${name} => ${name} ${published}`);
  return `${module(`k8s.io/kubernetes v${KUBERNETES_VERSION}`)}${replaced.join("\n")}\n`;
}
