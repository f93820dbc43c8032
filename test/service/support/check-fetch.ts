import { createDocumentChecker } from './document-checker.ts'
import type { CheckedAnswer } from './document-checker.ts'

/**
 * Checks every answer of a service process that a test fetches from `/api/` against the OpenAPI document of that process.
 * Vitest runs this file before each test file of the service.
 */

declare global {
  /** The `fetch` of Node: a worker runs this file before each of its test files, and must check no answer twice. */
  var fetchUnchecked: typeof fetch | undefined
}

const fetchUnchecked = (globalThis.fetchUnchecked ??= globalThis.fetch)
const checkers = new Map<string, Promise<(answer: CheckedAnswer) => void>>()

/** A test may fetch from a server that is not the service, or does not answer now; that is tried again with the next request. */
const createChecker = async (origin: string): Promise<(answer: CheckedAnswer) => void> => {
  try {
    const response = await fetchUnchecked(`${origin}/api/schema/`)
    if (response.ok) return createDocumentChecker(await response.json())
  } catch {
    // No service.
  }
  checkers.delete(origin)
  return () => undefined
}

globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  const isManagement = url.pathname.startsWith('/api/') && url.hostname === '127.0.0.1'
  if (!isManagement) return fetchUnchecked(input, init)
  // Read before the request: a test may stop the service.
  let checker = checkers.get(url.origin)
  if (!checker) checkers.set(url.origin, (checker = createChecker(url.origin)))
  const check = await checker
  const response = await fetchUnchecked(input, init)
  const method = (input instanceof Request ? input.method : init?.method) ?? 'GET'
  const contentType = response.headers.get('content-type') ?? undefined
  check({ method, url: url.href, status: response.status, contentType, body: await response.clone().text() })
  return response
}
