import { expect, onTestFinished, test } from 'vitest'
import {
  createExport,
  endExport,
  findExport,
  findWaitingExport,
  listContentIds,
  remakeExports,
  resumeExports,
  startExport,
  sumContentBytes,
} from '../../../../src/service/store/metadata/exports.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { OWNER_ID } from '../../support/app.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'

const NOW = 1_800_000_000_000

/** Two nodes with the same metadata. */
const open = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id: projectId } = await createProject(metadata, 'Shop', NOW)
  const [a, b] = ['a', 'b'].map((nodeId) => ({ metadata, nodeId })) as [Node, Node]
  const create = (node: Node) => {
    const fields = { dashboardId: null, insightId: null, format: 'text/csv', context: {}, filename: 'a.csv' }
    return createExport(node, projectId, { ...fields, expiresAt: NOW + 1000 }, { userId: OWNER_ID, now: NOW })
  }
  const stateOf = async (id: number) => (await findExport(metadata, projectId, id, NOW))?.state
  return { metadata, projectId, a, b, create, stateOf }
}

type Node = Parameters<typeof createExport>[0]

test('a job is started once, by the node that was asked for it', async () => {
  const { a, b, create } = await open()
  const item = await create(a)
  expect(await findWaitingExport(b, [])).toBeUndefined()
  expect(await findWaitingExport(a, [])).toEqual(item)
  expect(await startExport(b, item)).toBe(false)
  expect(await startExport(a, item)).toBe(true)
  expect(await startExport(a, item)).toBe(false)
})

test('a node that starts again puts back its own jobs', async () => {
  const { a, b, create, stateOf } = await open()
  const [ofA, ofB] = [await create(a), await create(b)]
  await startExport(a, ofA)
  await startExport(b, ofB)
  await resumeExports(a)
  expect([await stateOf(ofA.id), await stateOf(ofB.id)]).toEqual(['waiting', 'running'])
})

test('a node knows the contents that it has made, and makes no others again', async () => {
  const { metadata, projectId, a, b, create, stateOf } = await open()
  const [ofA, ofB] = [await create(a), await create(b)]
  for (const [{ id }, contentBytes] of [
    [ofA, 300],
    [ofB, 50],
  ] as const)
    await endExport(metadata, id, { contentBytes })
  expect([await listContentIds(a), await listContentIds(b)]).toEqual([new Set([ofA.id]), new Set([ofB.id])])
  expect([await sumContentBytes(a), await sumContentBytes(b, projectId)]).toEqual([300, 50])
  await remakeExports(a, [ofA.id, ofB.id])
  expect([await stateOf(ofA.id), await stateOf(ofB.id)]).toEqual(['waiting', 'done'])
})
