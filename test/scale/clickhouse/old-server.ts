import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createTempFolder } from '../../service/support/temp-folder.ts'

/** The server of Debian's package `clickhouse-server`, of 2018. */
const PROGRAM = '/usr/sbin/clickhouse-server'

export const hasOldServer: boolean = existsSync(PROGRAM)

const PASSWORD = 'secret'

const writeConfig = (folder: string, port: number): string => {
  const users = join(folder, 'users.xml')
  writeFileSync(
    users,
    `<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password>${PASSWORD}</password>
      <networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>`,
  )
  const config = join(folder, 'config.xml')
  writeFileSync(
    config,
    `<yandex><logger><level>error</level><console>1</console></logger><http_port>${port}</http_port><listen_host>127.0.0.1</listen_host>
      <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><mark_cache_size>100000000</mark_cache_size>
      <users_config>${users}</users_config><default_profile>default</default_profile><default_database>default</default_database></yandex>`,
  )
  return config
}

const findFreePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts the server, which is killed at the end of the test. */
export const startOldServer = async (): Promise<{ readonly url: string; readonly password: string }> => {
  const port = await findFreePort()
  const child = spawn(PROGRAM, [`--config-file=${writeConfig(createTempFolder(), port)}`], { stdio: 'ignore' })
  onTestFinished(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(
      () =>
        fetch(`${url}/ping`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true)
  return { url, password: PASSWORD }
}
