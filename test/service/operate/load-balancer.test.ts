import { expect, it } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { openApp } from '../support/app.ts'
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
