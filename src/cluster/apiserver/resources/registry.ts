/** Which resources are served at present. Custom ones come and go while the server runs. */
import type { ServedResource } from "./served-resource.ts";

const idOf = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`;

export class ResourceRegistry {
  readonly #builtins: readonly ServedResource[];
  readonly #custom = new Map<string, readonly ServedResource[]>();
  #byId: ReadonlyMap<string, ServedResource>;
  #generation = 0;

  constructor(builtins: readonly ServedResource[]) {
    this.#builtins = builtins;
    this.#byId = this.#index();
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#byId.get(idOf(group, version, plural));
  }

  /** All served resources. */
  all(): readonly ServedResource[] {
    return [...this.#byId.values()];
  }

  /** Changes whenever what is served changes. */
  get generation(): number {
    return this.#generation;
  }

  /** Serves these resources for a definition, instead of those before; none takes it away. */
  setCustom(definition: string, resources: readonly ServedResource[]): void {
    if (resources.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, resources);
    this.#byId = this.#index();
    this.#generation++;
  }

  #index(): ReadonlyMap<string, ServedResource> {
    const custom = [...this.#custom.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, each]) => each);
    // A custom resource never takes the place of a built-in.
    return new Map(
      [...custom, ...this.#builtins].map((each) => {
        const { group, version, plural } = each.definition;
        return [idOf(group, version, plural), each];
      }),
    );
  }
}
