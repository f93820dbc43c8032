import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { listProjects } from '../../../src/service/store/metadata/projects.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { createCertificate } from '../support/create-certificate.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { NOBODY, startPostgres } from '../support/postgres-server.mjs'
import { queryPostgres } from '../support/query-postgres.ts'

test('connects by TLS that is verified, with a password from a file that may change', async () => {
  const folder = createTempFolder()
  chmodSync(folder, 0o755)
  const { key, certificate } = createCertificate(folder, 'server')
  if (process.getuid?.() === 0) chownSync(key, NOBODY, NOBODY)
  const other = createCertificate(folder, 'other')
  const settings = [
    'password_encryption=scram-sha-256',
    'ssl=on',
    `ssl_key_file=${key}`,
    `ssl_cert_file=${certificate}`,
  ]
  const server = await startPostgres(inject('postgresPackage')!, settings, 'hostssl all waymark all scram-sha-256')
  onTestFinished(() => server.remove())
  await queryPostgres(server.url, `create role waymark login superuser password 'first'`)
  const database = new URL((await createEmptyDatabase(server.url)).url)
  database.username = 'waymark'
  const passwordFile = join(folder, 'password')
  const open = (authority: string) =>
    openMetadata({ url: `${database.href}?sslmode=verify-full&sslrootcert=${authority}`, passwordFile })

  writeFileSync(passwordFile, 'first\n')
  const metadata = await open(certificate)
  expect(await listProjects(metadata)).toEqual([])
  await metadata.destroy()
  await expect(open(other.certificate)).rejects.toThrow(/cannot be used: .*certificate/)

  await queryPostgres(server.url, `alter role waymark password 'second'`)
  await expect(open(certificate)).rejects.toThrow('password authentication failed')
  writeFileSync(passwordFile, 'second\n')
  await (await open(certificate)).destroy()
})
