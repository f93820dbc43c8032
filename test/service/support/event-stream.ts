import { onTestFinished } from 'vitest'

/** One server-sent event. */
export interface StreamEvent {
  readonly id: string
  readonly event: string
  /** The JSON of its data. */
  readonly data: { readonly flags: readonly { readonly key: string }[] }
}

/** A stream that a test holds open until it ends. */
export interface EventStream {
  readonly status: number
  readonly headers: Headers
  /** The next event; undefined once the service has ended the stream. */
  readonly next: () => Promise<StreamEvent | undefined>
}

/** Opens a stream of server-sent events, as `EventSource` would. */
export const openEventStream = async (url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> => {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const answer = await fetch(url, { headers, signal: controller.signal })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<StreamEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end < 0) {
        const { done, value } = await reader.read()
        if (done) return undefined
        text += value
        continue
      }
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      if (field('event') !== '') return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) }
    }
  }
  return { status: answer.status, headers: answer.headers, next }
}
