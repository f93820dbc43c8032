import { stringify } from '../lib/stringify.ts'
import { withoutSlash } from '../lib/without-slash.ts'
import { Path } from '../wire/path.ts'

/**
 * Adds evaluation contexts to the flag requests of an agent. `fetch` is the last public place before the network, so that agents without
 * contexts pay nothing for them.
 *
 * @param ownFetch Default: the global `fetch`, looked up at each request.
 */
export const addEvaluationContexts =
  (ownFetch: typeof fetch | undefined, contexts: readonly string[]): typeof fetch =>
  (input, init) => {
    const send = ownFetch ?? globalThis.fetch
    // Behind some proxies the URL has no slash at the end.
    const url = withoutSlash(input as string)
    const isFlagRequest = [Path.decide, Path.flags].some((path) => url.endsWith(withoutSlash(path)))
    if (!isFlagRequest) return send(input, init)
    const body = { ...(JSON.parse(init!.body as string) as object), evaluation_contexts: contexts }
    return send(input, { ...init, body: stringify(body) })
  }
