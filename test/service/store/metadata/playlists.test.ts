import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EMPTY_PLAYLIST } from '../../../../src/service/playlist/parse-playlist.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'
import type { Metadata } from '../../../../src/service/store/metadata/open.ts'
import { createPlaylist, findPlaylist, updatePlaylist } from '../../../../src/service/store/metadata/playlists.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { createUser, loadUsers, removeUser } from '../../../../src/service/store/metadata/users.ts'

let metadata: Metadata
let projectId: number
let userId: number
beforeEach(async () => {
  metadata = await openTestMetadata()
  projectId = (await createProject(metadata, 'Shop', 1000)).id
  userId = (await createUser(metadata, { email: 'ada@shop.example' }, 1000)).id
})
afterEach(() => metadata.destroy())

describe('playlists in the metadata', () => {
  it('have random short ids of 12 letters and digits', async () => {
    const ids = new Set<string>()
    for (let count = 0; count < 200; count++)
      ids.add((await createPlaylist(metadata, projectId, EMPTY_PLAYLIST, { userId, now: 1000 })).shortId)
    expect(ids.size).toBe(200)
    for (const id of ids) expect(id).toMatch(/^[\dA-Za-z]{12}$/)
  })

  it('are found in their project only', async () => {
    const { shortId } = await createPlaylist(metadata, projectId, EMPTY_PLAYLIST, { userId, now: 1000 })
    const other = await createProject(metadata, 'Other', 1000)
    expect(await findPlaylist(metadata, projectId, shortId)).toMatchObject({ shortId, createdBy: userId })
    expect(await findPlaylist(metadata, other.id, shortId)).toBeUndefined()
  })

  it('keep their users until these are removed', async () => {
    const editor = await createUser(metadata, { email: 'bob@shop.example' }, 1000)
    const { id, shortId } = await createPlaylist(metadata, projectId, EMPTY_PLAYLIST, { userId, now: 1000 })
    await updatePlaylist(metadata, id, { ...EMPTY_PLAYLIST, name: 'new' }, { userId: editor.id, now: 2000 })
    expect([...(await loadUsers(metadata, [userId, editor.id, 999])).keys()]).toEqual([userId, editor.id])
    await removeUser(metadata, userId)
    expect(await findPlaylist(metadata, projectId, shortId)).toMatchObject({
      name: 'new',
      createdBy: null,
      createdAt: 1000,
      lastModifiedBy: editor.id,
      lastModifiedAt: 2000,
      version: 2,
    })
  })
})
