import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createNodeOpenStream } from '../../../src/platform/node/open-stream.ts'
import { openStreamContract } from '../../contract/open-stream.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { selfSigned } from '../../support/self-signed.ts'

describe('createNodeOpenStream', () => {
  openStreamContract(createNodeOpenStream)

  it.each(['http', 'https'])('lets a process with an open stream over %s end by itself', async (protocol) => {
    const listener = (_request: unknown, response: ServerResponse): void => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n')
    }
    const server = protocol === 'http' ? createHttpServer(listener) : createHttpsServer(selfSigned, listener)
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })

    const source = readFileSync(new URL('../../../src/platform/node/open-stream.ts', import.meta.url), 'utf8')
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
    const { outputText } = ts.transpileModule(source, { compilerOptions })
    const script = join(createTempFolder(), 'open.mjs')
    const url = `${protocol}://localhost:${(server.address() as AddressInfo).port}/`
    // Only the timer keeps the process alive until the stream is open.
    writeFileSync(
      script,
      `${outputText}
const timer = setTimeout(() => {}, 10_000)
createNodeOpenStream()(${JSON.stringify(url)}, {}, {
  onHead() {},
  onChunk() { console.log('open'); clearTimeout(timer) },
  onEnd() { console.log('ended'); clearTimeout(timer) },
})`,
    )
    const child = spawn(process.execPath, [script], { env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' } })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
    expect(output).toBe('open\n')
  })
})
