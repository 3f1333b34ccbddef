/** Where an autoscaler's request goes. */
import type { UrlConfiguration } from "./policy.ts";

/** The port of a Service that names none. */
const DEFAULT_PORT = 8000;

/** A configuration that names no place to ask, or two. */
export class WebhookUrlError extends Error {
  override readonly name = "WebhookUrlError";
  readonly code = "InvalidWebhookUrl";
}

/**
 * The `url` as it stands; for a Service `http://NAME.NAMESPACE.svc:PORT/PATH`, with `https` when there is a CA bundle, port
 * 8000 and namespace `default` where none are given. Throws `WebhookUrlError`.
 */
export function webhookUrl({ url, service, caBundle }: UrlConfiguration): string {
  if (typeof url === "string" && service) throw new WebhookUrlError("service and url cannot be used simultaneously");
  if (typeof url === "string") {
    if (url === "") throw new WebhookUrlError("URL was not provided");
    return url;
  }
  if (!service) throw new WebhookUrlError("service was not provided, either URL or Service must be provided");
  const { name, namespace, path, port } = service;
  const rest = !path || path.startsWith("/") ? (path ?? "") : `/${path}`;
  return `${caBundle ? "https" : "http"}://${name}.${namespace || "default"}.svc:${port || DEFAULT_PORT}${rest}`;
}
