import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { openApp } from '../support/app.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { readOperateFile } from './read-operate-file.ts'

const config = readOperateFile('haproxy.cfg')
const secondsOf = (name: string): number => Number(new RegExp(`timeout ${name} (\\d+)s`).exec(config)![1])

it('checks the nodes at a path that answers while they acknowledge events', async () => {
  const { app } = await openApp()
  const path = /option httpchk GET (\S+)/.exec(config)![1]!
  expect((await app.inject({ method: 'GET', url: path })).json()).toMatchObject({ status: 'ok' })
})

it('sends requests to the default port of the service', () => {
  const ports = [...config.matchAll(/^ {2}server \S+ \S+:(\d+)$/gm)].map(([, port]) => Number(port))
  expect(ports).toEqual(Array.from({ length: 3 }, () => withDefaults().port))
})

it('waits longer than an upload, a question and the silence of a stream', () => {
  const { queryTimeoutMs } = withDefaults()
  for (const name of ['client', 'server']) expect(secondsOf(name)).toBeGreaterThan(Math.max(120, queryTimeoutMs / 1000))
})

const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0

it.skipIf(!hasHaproxy)('is a configuration that HAProxy accepts', () => {
  const folder = createTempFolder()
  const certificate = join(folder, 'waymark.pem')
  writeFileSync(certificate, `${selfSigned.cert}\n${selfSigned.key}\n`)
  const path = join(folder, 'haproxy.cfg')
  const check = (text: string) => {
    // The names of the example are unknown here.
    const local = text
      .replace('/etc/haproxy/waymark.pem', certificate)
      .replaceAll(/node-\d\.example\.com/g, '127.0.0.1')
    writeFileSync(path, local)
    return spawnSync('haproxy', ['-c', '-f', path], { encoding: 'utf8' })
  }
  const { status, stderr } = check(config)
  expect([status, stderr]).toEqual([0, ''])
  expect(check(config.replace('balance source', 'balance sauce')).status).not.toBe(0)
})
