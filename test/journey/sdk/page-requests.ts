import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import type { RecordedRequest } from './recording-proxy.ts'
import type { SdkPage } from './sdk-test-bed.ts'

/**
 * Expects that all requests of a page succeeded, and that the package logged no errors or warnings.
 *
 * @param expectedWarnings Warnings that the package must log, each once. Default: none.
 */
export const expectNoErrors = (
  { requests, consoleErrors }: SdkPage,
  expectedWarnings: readonly string[] = [],
): void => {
  expect(requests.filter(({ status }) => status < 200 || status > 299).map(({ url, status }) => [url, status])).toEqual(
    [],
  )
  expect([...new Set(consoleErrors)]).toEqual(expectedWarnings)
}

/** Describes the requests of a page, each form once and in order: method, path, compression and content type. */
export const describeRequests = ({ requests }: SdkPage, key: string): string[] => [
  ...new Set(
    requests.map(({ method, url, headers }) => {
      const { pathname, searchParams } = new URL(url, 'http://service')
      const compression = searchParams.get('compression') ?? headers['content-encoding']
      const type = headers['content-type']?.split(';')[0]
      return [method, pathname.replace(key, '<key>'), compression, type].filter(Boolean).join(' ')
    }),
  ),
]

/** Selects the descriptions of requests with events, and removes their paths. */
export const selectEventRequests = (descriptions: readonly string[]): string[] =>
  [
    ...new Set(
      descriptions
        .filter((description) => /\/(e|batch)\//.test(description))
        .map((description) => description.replace(/ \S*\/(e|batch)\//, '')),
    ),
  ].sort()

/** Resolves when an event was sent. Packages hold events for some seconds, and lose those that they compress while the page is left. */
export const waitUntilSent = async ({ requests }: SdkPage, event: string): Promise<void> => {
  await until(
    () => requests.some((request) => decodeBody(request).includes(`"${event}"`)),
    (isSent) => isSent,
  )
}

const decodeBody = ({ body }: RecordedRequest): string => {
  if (body[0] === 0x1f) return gunzipSync(body).toString()
  const content = body.toString()
  return content.startsWith('data=') ? atob(new URLSearchParams(content).get('data')!) : content
}
