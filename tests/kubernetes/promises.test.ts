/** The tables of promises: a real API server with our webhooks keeps them as the embedded one does. */
import { agree } from "./agreement/agree.ts";
import { isByDefault, promises } from "./agreement/promised.ts";

for (const { title, scenario } of promises.filter(isByDefault)) agree(title, scenario);
