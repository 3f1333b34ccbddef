/** On a process node an image's name stands for a local command; no file system comes with it. */
export interface ImageCommand {
  /**
   * A program (a path, or a name to be found in PATH) and its first arguments; the container's `args` follow. `$(NAME)` stands
   * for a variable of the container's environment, such as `$(PORT)`.
   */
  readonly command: readonly string[];
  /** Where relative paths start. Default: an empty folder of the container's own. */
  readonly cwd?: string;
  /** Like an image's own environment: the pod's entries win. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ImageResolver {
  /** `undefined`: nobody said what this image stands for. */
  resolve(image: string): Promise<ImageCommand | undefined> | ImageCommand | undefined;
  /** Calls back after any mapping changed; the returned function ends that. */
  onChange?(changed: () => void): () => void;
}

export const unmappedImage = (image: string): string =>
  `image "${image}" is not mapped to a local command; say what it stands for: npx stadion images add ${image} -- COMMAND…`;
