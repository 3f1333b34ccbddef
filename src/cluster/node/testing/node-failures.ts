/** What real programs wrote last, as Node printed it, and the line of it that says why they ended. */
export const NODE_FAILURES: readonly (readonly [name: string, text: string, line: string])[] = [
  ["v20.20.2 that threw deep down", threwDeepDown("v20.20.2"), "Error: no map file"],
  [
    "v20.20.2 that lacks a module",
    `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './nope'
Require stack:
- /srv/game/miss.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Module._load (node:internal/modules/cjs/loader:1038:27)
    at Module.require (node:internal/modules/cjs/loader:1289:19)
    at require (node:internal/modules/helpers:182:18)
    at Object.<anonymous> (/srv/game/miss.js:1:1)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)
    at Module.load (node:internal/modules/cjs/loader:1266:32)
    at Module._load (node:internal/modules/cjs/loader:1091:12)
    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/srv/game/miss.js' ]
}

Node.js v20.20.2
`,
    "Error: Cannot find module './nope'",
  ],
  [
    "v20.20.2 that lacks an ES module",
    `node:internal/modules/esm/resolve:283
    throw new ERR_MODULE_NOT_FOUND(
          ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/game/nope.mjs' imported from /srv/game/miss.mjs
    at finalizeResolution (node:internal/modules/esm/resolve:283:11)
    at moduleResolve (node:internal/modules/esm/resolve:952:10)
    at defaultResolve (node:internal/modules/esm/resolve:1188:11)
    at ModuleLoader.defaultResolve (node:internal/modules/esm/loader:708:12)
    at #cachedDefaultResolve (node:internal/modules/esm/loader:657:25)
    at ModuleLoader.resolve (node:internal/modules/esm/loader:640:38)
    at ModuleLoader.getModuleJobForImport (node:internal/modules/esm/loader:264:38)
    at ModuleJob._link (node:internal/modules/esm/module_job:168:49) {
  code: 'ERR_MODULE_NOT_FOUND',
  url: 'file:///srv/game/nope.mjs'
}

Node.js v20.20.2
`,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/game/nope.mjs' imported from /srv/game/miss.mjs",
  ],
  ["v26.10.0 that threw deep down", threwDeepDown("v26.10.0"), "Error: no map file"],
  [
    "v26.10.0 that lacks a module",
    `node:internal/modules/cjs/loader:1595
  throw err;
  ^

Error: Cannot find module './nope'
Require stack:
- /srv/game/miss.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1591:15)
    at wrapResolveFilename (node:internal/modules/cjs/loader:1145:27)
    at defaultResolveImplForCJSLoading (node:internal/modules/cjs/loader:1169:10)
    at resolveForCJSWithHooks (node:internal/modules/cjs/loader:1196:12)
    at Module._load (node:internal/modules/cjs/loader:1368:5)
    at wrapModuleLoad (node:internal/modules/cjs/loader:261:19)
    at Module.require (node:internal/modules/cjs/loader:1701:12)
    at require (node:internal/modules/helpers:318:16)
    at Object.<anonymous> (/srv/game/miss.js:1:1)
    at Module._compile (node:internal/modules/cjs/loader:1956:14) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/srv/game/miss.js' ]
}

Node.js v26.10.0
`,
    "Error: Cannot find module './nope'",
  ],
  [
    "v26.10.0 that lacks an ES module",
    `node:internal/modules/esm/resolve:241
    throw new ERR_MODULE_NOT_FOUND(
          ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/game/nope.mjs' imported from /srv/game/miss.mjs
    at finalizeResolution (node:internal/modules/esm/resolve:241:11)
    at moduleResolve (node:internal/modules/esm/resolve:846:10)
    at defaultResolve (node:internal/modules/esm/resolve:973:11)
    at #cachedDefaultResolve (node:internal/modules/esm/loader:708:20)
    at #resolveAndMaybeBlockOnLoaderThread (node:internal/modules/esm/loader:728:38)
    at ModuleLoader.resolveSync (node:internal/modules/esm/loader:766:56)
    at #resolve (node:internal/modules/esm/loader:690:17)
    at ModuleLoader.getOrCreateModuleJob (node:internal/modules/esm/loader:610:35)
    at ModuleJob.syncLink (node:internal/modules/esm/module_job:277:33)
    at ModuleJob.link (node:internal/modules/esm/module_job:389:17) {
  code: 'ERR_MODULE_NOT_FOUND',
  url: 'file:///srv/game/nope.mjs'
}

Node.js v26.10.0
`,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/game/nope.mjs' imported from /srv/game/miss.mjs",
  ],
];

function threwDeepDown(version: string): string {
  return `/srv/game/deep.js:1
function f(n){ if(n) f(n-1); else throw new Error("no map file") } f(20);
                                  ^

Error: no map file
    at f (/srv/game/deep.js:1:41)
    at f (/srv/game/deep.js:1:22)
    at f (/srv/game/deep.js:1:22)
    at f (/srv/game/deep.js:1:22)
    at f (/srv/game/deep.js:1:22)
    at f (/srv/game/deep.js:1:22)
    at f (/srv/game/deep.js:1:22)
    at f (/srv/game/deep.js:1:22)
    at f (/srv/game/deep.js:1:22)
    at f (/srv/game/deep.js:1:22)

Node.js ${version}
`;
}
