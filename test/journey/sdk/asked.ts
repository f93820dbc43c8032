import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import type { Relayed } from './relay.ts'
import type { SdkPage } from './sdk-bed.ts'

/**
 * Holds a page to this: everything that it asked of the service was answered with success, and the package, which logs all it has to say, had
 * nothing to complain of.
 *
 * @param ofOptions What the package must have said, and no more, of the options that it was given, each once.
 */
export const expectNoComplaint = ({ requests, complaints }: SdkPage, ofOptions: readonly string[] = []): void => {
  expect(requests.filter(({ status }) => status < 200 || status > 299).map(({ url, status }) => [url, status])).toEqual(
    [],
  )
  expect([...new Set(complaints)]).toEqual(ofOptions)
}

/** The forms of the requests of a page, each once, in order: method, path, what says how the body is packed, and its type. */
export const formsOf = ({ requests }: SdkPage, key: string): string[] => [
  ...new Set(
    requests.map(({ method, url, headers }) => {
      const { pathname, searchParams } = new URL(url, 'http://service')
      const compression = searchParams.get('compression') ?? headers['content-encoding']
      const type = headers['content-type']?.split(';')[0]
      return [method, pathname.replace(key, '<key>'), compression, type].filter(Boolean).join(' ')
    }),
  ),
]

/** Of such forms those of requests with events, without their paths. */
export const eventForms = (forms: readonly string[]): string[] =>
  [
    ...new Set(forms.filter((form) => /\/(e|batch)\//.test(form)).map((form) => form.replace(/ \S*\/(e|batch)\//, ''))),
  ].sort()

/** Resolves when an event was sent: packages keep them for some seconds, and lose what they just begin to pack when the page goes. */
export const sent = async ({ requests }: SdkPage, event: string): Promise<void> => {
  await until(
    () => requests.some((request) => bodyText(request).includes(`"${event}"`)),
    (isSent) => isSent,
  )
}

const bodyText = ({ body }: Relayed): string => {
  if (body[0] === 0x1f) return gunzipSync(body).toString()
  const text = body.toString()
  return text.startsWith('data=') ? atob(new URLSearchParams(text).get('data')!) : text
}
