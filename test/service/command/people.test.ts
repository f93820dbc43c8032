import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findPersonalApiKey, findPersonalApiKeyById } from '../../../src/service/store/metadata/keys.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createDataFolder } from './data-folder.ts'

const open = async () => {
  const { folder, runCommand } = createDataFolder()
  await runCommand('project', 'create', 'Shop')
  const openFolder = async () => {
    const metadata = await openMetadata(join(folder, 'metadata.sqlite'))
    onTestFinished(() => metadata.destroy())
    return metadata
  }
  return { runCommand, openFolder }
}

test('creates, lists, changes and removes users', async () => {
  const { runCommand } = await open()
  expect(
    await runCommand('user', 'create', 'Ann@Shop.example', '--first-name', 'Ann', '--level', 'administrator'),
  ).toEqual([expect.stringMatching(/^user 2 {2}[0-9a-f-]{36} {2}ann@shop\.example {2}administrator {2}Ann$/)])
  await expect(runCommand('user', 'create', 'ann@shop.example')).rejects.toThrow(
    'There is a user ann@shop.example already.',
  )
  await runCommand('user', 'update', 'owner@waymark.invalid', '--email', 'bo@shop.example', '--role', 'founder')
  expect(await runCommand('user', 'list')).toEqual([
    expect.stringMatching(/^user 1 {2}\S+ {2}bo@shop\.example {2}owner$/),
    expect.stringMatching(/^user 2 {2}\S+ {2}ann@shop\.example {2}administrator {2}Ann$/),
  ])
  await expect(runCommand('user', 'update', 'bo@shop.example', '--email', 'ann@shop.example')).rejects.toThrow(
    'already',
  )
  await expect(runCommand('user', 'remove', 'bo@shop.example')).rejects.toThrow('the last owner of the organisation')
  expect(await runCommand('user', 'remove', 'ann@shop.example')).toEqual(['removed user 2'])
  await expect(runCommand('user', 'remove', 'ann@shop.example')).rejects.toThrow('There is no user ann@shop.example')
})

test('creates, lists and renames organisations', async () => {
  const { runCommand } = await open()
  const [created] = await runCommand('org', 'create', 'Second', '--owner', 'owner@waymark.invalid')
  const id = /[0-9a-f-]{36}/.exec(created!)![0]
  await runCommand('org', 'rename', 'First')
  expect(await runCommand('org', 'list')).toEqual([expect.stringMatching(/ {2}First$/), `organisation ${id}  Second`])
  await runCommand('project', 'create', 'Blog', '--private', '--organization', id)
  expect(await runCommand('project', 'list')).toEqual([
    expect.stringMatching(/ Shop$/),
    expect.stringMatching(/ {2}Blog {2}\(private\)$/),
  ])
  expect(await runCommand('project', 'open', '--project', '2')).toEqual(['project 2 is open'])
  await expect(runCommand('org', 'rename', 'x', '--organization', 'none')).rejects.toThrow(
    'There is no organisation none',
  )
})

test('changes the members of an organisation and of a project', async () => {
  const { runCommand } = await open()
  await runCommand('user', 'create', 'ann@shop.example')
  await runCommand('project', 'close')
  expect(await runCommand('member', 'list')).toEqual(['owner@waymark.invalid  owner', 'ann@shop.example  member'])
  expect(await runCommand('member', 'set', 'ann@shop.example', 'administrator', '--project', '1')).toEqual([
    'ann@shop.example  administrator',
  ])
  expect(await runCommand('member', 'list', '--project', '1')).toEqual(['ann@shop.example  administrator'])
  const last = 'the last administrator of the private project "Shop"'
  await expect(runCommand('member', 'remove', 'ann@shop.example', '--project', '1')).rejects.toThrow(last)
  await expect(runCommand('member', 'set', 'ann@shop.example', 'member', '--project', '1')).rejects.toThrow(last)
  await expect(runCommand('member', 'remove', 'ann@shop.example')).rejects.toThrow(last)
  await expect(runCommand('member', 'set', 'ann@shop.example', 'owner', '--project', '1')).rejects.toThrow(
    'A project has members and administrators',
  )
  await expect(runCommand('member', 'set', 'owner@waymark.invalid', 'member')).rejects.toThrow('the last owner')
  await runCommand('member', 'set', 'ann@shop.example', 'owner')
  expect(await runCommand('member', 'remove', 'owner@waymark.invalid')).toEqual(['removed owner@waymark.invalid'])
  expect(await runCommand('member', 'list')).toEqual(['ann@shop.example  owner'])
})

test('creates keys of a user for projects, with an expiry, and revokes them', async () => {
  const { runCommand, openFolder } = await open()
  await runCommand('project', 'create', 'Blog')
  await runCommand('user', 'create', 'ann@shop.example')
  const create = 'key create ci --user ann@shop.example --project 1 2 --scope project:read query:read'
  const [line] = await runCommand(...create.split(' '), '--expires', '2030-01-31T00:00:00Z')
  const key = /wmx_\S+/.exec(line!)![0]
  const metadata = await openFolder()
  expect(await findPersonalApiKey(metadata, key)).toMatchObject({
    userId: 2,
    projectIds: [1, 2],
    scopes: ['project:read', 'query:read'],
    expiresAt: Date.UTC(2030, 0, 31),
  })
  await runCommand('key', 'create', 'all', '--all-projects', '--scope', '*')
  expect(await runCommand('key', 'list')).toEqual([
    `key 1  ann@shop.example  project 1, 2  ${key.slice(0, 8)}…  until 2030-01-31T00:00:00.000Z  never used  project:read query:read  ci`,
    expect.stringMatching(/^key 2 {2}owner@waymark\.invalid {2}all projects {2}wmx_\S{4}… {2}never used {2}\* {2}all$/),
  ])
  expect(await runCommand('key', 'revoke', '1')).toEqual(['revoked key 1'])
  expect(await findPersonalApiKeyById(metadata, 1)).toBeUndefined()
  await expect(runCommand('key', 'revoke', '1')).rejects.toThrow('There is no key 1')
})

test('creates no key for a project that its user may not see', async () => {
  const { runCommand } = await open()
  await runCommand('user', 'create', 'ann@shop.example')
  await runCommand('project', 'close')
  const create = () => runCommand('key', 'create', 'x', '--user', 'ann@shop.example')
  await expect(create()).rejects.toThrow('There is no project 1 that the user of the key may see.')
  await runCommand('member', 'set', 'ann@shop.example', 'member', '--project', '1')
  expect(await create()).toEqual([expect.stringMatching(/^wmx_/)])
})

test.each([
  [['user', 'create', 'no-address'], 'An email address looks like'],
  [['user', 'create', 'a@b.co', '--level', 'king'], 'A level must be one of member, administrator, owner.'],
  [['key', 'create', 'x', '--expires', 'soon'], '"expires_at" must be an ISO 8601 time'],
  [['key', 'create', 'x', '--expires', '2030-01-31'], '"expires_at" must be an ISO 8601 time'],
  [['key', 'create', 'x', '--expires', '2020-01-31T00:00:00Z'], '"expires_at" must be in the future'],
  [['key', 'create', ' '], '"label" must be'],
  [['key', 'create', 'x'.repeat(201)], '"label" must be a string of at most 200 characters'],
  [['key', 'create', 'x', '--scope', 'query:read', 'query:read'], '"scopes" must be an array of items that all differ'],
  [['key', 'create', 'x', '--project', '9'], 'There is no project 9'],
  [['key', 'create', 'x', '--user', 'no@b.co'], 'There is no user no@b.co'],
  [['key', 'create', 'x', '--scope', 'all:read'], 'Allowed choices are'],
  [['key', 'revoke', 'x'], 'A key id must be a whole number'],
  [['member', 'remove', 'owner@waymark.invalid', '--project', '1'], 'owner@waymark.invalid is not a member.'],
])('rejects %j', async (args, message) => {
  const { runCommand } = await open()
  await expect(runCommand(...args)).rejects.toThrow(message)
})
