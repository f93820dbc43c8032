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
    const isFlagRequest = [Path.decide, Path.flags].some((path) => (input as string).endsWith(path))
    if (!isFlagRequest) return send(input, init)
    const body = { ...(JSON.parse(init!.body as string) as object), evaluation_contexts: contexts }
    return send(input, { ...init, body: JSON.stringify(body) })
  }
