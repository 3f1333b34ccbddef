/** The Chromium of this machine, driven as a person would: by what the page shows, its names and roles. */
import { type Browser, chromium } from "playwright-core";
import { onPath } from "./on-path.ts";

const found = onPath("chromium");

/** Tests that need it are skipped where there is none. */
export const hasChromium: boolean = found !== undefined;

/** A browser without a window that asks nobody but the pages it is sent to; it ends when it is closed. */
export async function startChromium(): Promise<Browser> {
  if (found === undefined) throw new Error("chromium is not installed");
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"];
  // Root may not use Chromium's sandbox.
  return chromium.launch({
    executablePath: found,
    args: ["--no-sandbox", "--no-first-run", "--disable-gpu", ...quiet],
  });
}
