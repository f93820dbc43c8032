import { expect } from 'vitest'
import type { SdkPage } from './sdk-bed.ts'

/** Holds a page to this: everything that it asked of the service was answered with success, and the package had nothing to complain of. */
export const expectNoComplaint = ({ requests, complaints }: SdkPage): void => {
  expect(requests.filter(({ status }) => status < 200 || status > 299).map(({ url, status }) => [url, status])).toEqual(
    [],
  )
  expect(complaints).toEqual([])
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
