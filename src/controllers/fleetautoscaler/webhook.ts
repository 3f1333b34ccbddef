import type { UrlConfiguration } from "#api/autoscaling/policy.ts";
import { type FleetAutoscaleResponse, ReviewError, responseOf } from "#api/autoscaling/review.ts";
import { type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import type { Clock } from "#runtime/clock.ts";
import { PolicyServer } from "./policy-server.ts";
import type { Reviewer } from "./reviewer.ts";

/** Far more than an answer needs. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Asks a webhook: the review by POST, in JSON; the answer is a review with its response. */
export function openWebhook(configuration: UrlConfiguration, clock: Clock): Reviewer {
  const server = new PolicyServer(configuration, clock);
  return {
    review: async (review, signal) =>
      readResponse(
        await server.request({
          method: "POST",
          body: stringifyJson(review),
          maxBytes: MAX_ANSWER_BYTES,
          signal,
        }),
      ),
    close: () => server.close(),
  };
}

/** The response in the bytes of a review. Throws `ReviewError`. */
export function readResponse(answer: Uint8Array): FleetAutoscaleResponse {
  const text = new TextDecoder().decode(answer);
  let review: JsonValue;
  try {
    review = parseJson(text);
  } catch (error) {
    throw new ReviewError(`the answer is no JSON: ${(error as Error).message}`, { cause: error });
  }
  return responseOf(review);
}
