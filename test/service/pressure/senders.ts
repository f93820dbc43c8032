import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { ClientRequest } from 'node:http'

/** An answer, or that there was none. */
export interface Answer {
  /** 0 when the connection ended without one. */
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
  readonly ms: number
}

interface Sent {
  readonly url: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Begins a POST on a connection of its own; whoever calls writes the body. */
export const beginPost = ({
  url,
  path = '/batch/',
  headers = {},
}: Sent): { readonly sending: ClientRequest; readonly answer: Promise<Answer> } => {
  const at = performance.now()
  const sending = request(`${url}${path}`, { method: 'POST', agent: false, headers })
  const answer = new Promise<Answer>((resolve) => {
    const end = (status: number, retryAfter: string | undefined, text: string): void =>
      resolve({ status, retryAfter, text, ms: performance.now() - at })
    sending.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => end(response.statusCode ?? 0, response.headers['retry-after'], text))
      response.on('error', () => end(0, undefined, text))
    })
    sending.on('error', (error) => end(0, undefined, String(error)))
  })
  return { sending, answer }
}

/** Posts a body whole, with its length. */
export const post = (body: Uint8Array | string, sent: Sent): Promise<Answer> => {
  const length = String(Buffer.byteLength(body))
  const { sending, answer } = beginPost({ ...sent, headers: { 'content-length': length, ...sent.headers } })
  sending.end(body)
  return answer
}

/** The most memory a process has ever had, in MiB. */
export const peakMiB = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Sends single events, one after the other, until stopped; answers what became of them. */
export const startProbe = (url: string, apiKey: string): (() => Promise<readonly Answer[]>) => {
  const body = JSON.stringify({ api_key: apiKey, event: 'probe', distinct_id: 'probe' })
  const answers: Answer[] = []
  const stopped = new AbortController()
  const run = (async () => {
    while (!stopped.signal.aborted) answers.push(await post(body, { url, path: '/i/v0/e/' }))
  })()
  return async () => {
    stopped.abort()
    await run
    return answers
  }
}
