import { onTestFinished } from 'vitest'

/** One server-sent event. */
export interface StreamEvent {
  readonly id: string
  readonly event: string
  /** The parsed JSON of the data. */
  readonly data: { readonly flags: readonly { readonly key: string }[] }
}

/** A stream that stays open until the test ends. */
export interface EventStream {
  readonly status: number
  readonly headers: Headers
  /** Returns the next event; undefined once the service has ended the stream. */
  readonly next: () => Promise<StreamEvent | undefined>
}

/** Opens a stream of server-sent events, like `EventSource`. */
export const openEventStream = async (url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> => {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const response = await fetch(url, { headers, signal: controller.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let buffer = ''
  const next = async (): Promise<StreamEvent | undefined> => {
    for (;;) {
      const end = buffer.indexOf('\n\n')
      if (end < 0) {
        const { done, value } = await reader.read()
        if (done) return undefined
        buffer += value
        continue
      }
      const lines = buffer.slice(0, end).split('\n')
      buffer = buffer.slice(end + 2)
      const field = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      if (field('event') !== '') return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) }
    }
  }
  return { status: response.status, headers: response.headers, next }
}
