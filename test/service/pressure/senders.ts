import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { ClientRequest } from 'node:http'

/** A response, or its absence. */
export interface TimedResponse {
  /** 0 when the connection ended without a response. */
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

interface PostOptions {
  readonly url: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Starts a POST on its own connection; the caller writes the body. */
export const beginPost = ({
  url,
  path = '/batch/',
  headers = {},
}: PostOptions): { readonly clientRequest: ClientRequest; readonly response: Promise<TimedResponse> } => {
  const clientRequest = request(`${url}${path}`, { method: 'POST', agent: false, headers })
  const response = new Promise<TimedResponse>((resolve) => {
    const finish = (status: number, retryAfter: string | undefined, text: string): void =>
      resolve({ status, retryAfter, text })
    clientRequest.on('response', (message) => {
      let text = ''
      message.setEncoding('utf8')
      message.on('data', (chunk: string) => (text += chunk))
      message.on('end', () => finish(message.statusCode ?? 0, message.headers['retry-after'], text))
      message.on('error', () => finish(0, undefined, text))
    })
    clientRequest.on('error', (error) => finish(0, undefined, String(error)))
  })
  return { clientRequest, response }
}

/** Posts a complete body, with its length. */
export const post = (body: Uint8Array | string, options: PostOptions): Promise<TimedResponse> => {
  const length = String(Buffer.byteLength(body))
  const { clientRequest, response } = beginPost({
    ...options,
    headers: { 'content-length': length, ...options.headers },
  })
  clientRequest.end(body)
  return response
}

/** Reads the peak memory of a process, in MiB. */
export const readPeakMiB = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Sends single events, one after the other; the returned function stops it and returns the responses. */
export const startProbe = (url: string, apiKey: string): (() => Promise<readonly TimedResponse[]>) => {
  const body = JSON.stringify({ api_key: apiKey, event: 'probe', distinct_id: 'probe' })
  const responses: TimedResponse[] = []
  const stopController = new AbortController()
  const sending = (async () => {
    while (!stopController.signal.aborted) responses.push(await post(body, { url, path: '/i/v0/e/' }))
  })()
  return async () => {
    stopController.abort()
    await sending
    return responses
  }
}
