import type { NodeMetadata } from '../store/metadata/node-id.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { listContentIds, listKnownIds, remakeExports, resumeExports } from '../store/metadata/exports.ts'
import type { ExportFiles } from './export-files.ts'

/** Puts back the jobs that an earlier process of the node has left, and those whose content is missing, as after an older backup. */
export const recoverExports = async (node: NodeMetadata, files: Pick<ExportFiles, 'list'>): Promise<void> => {
  await resumeExports(node)
  const found = new Set(await files.list())
  const lost = [...(await listContentIds(node))].filter((id) => !found.has(id))
  await remakeExports(node, lost)
}

/** A job whose content is being made, by the id of its export. */
export type RunningJobs = ReadonlyMap<number, { readonly canceller: AbortController }>

/** Ends the jobs, and removes the contents, whose exports are gone: they have expired, or went with their project. */
export const removeUnknown = async (
  metadata: Metadata,
  files: Pick<ExportFiles, 'list' | 'remove'>,
  running: RunningJobs,
): Promise<void> => {
  // In this order, so that a job that ends meanwhile is among the running or the known ones.
  const found = await files.list()
  const runningIds = [...running.keys()]
  const knownIds = await listKnownIds(metadata)
  for (const id of runningIds) if (!knownIds.has(id)) running.get(id)?.canceller.abort()
  for (const id of found) if (!knownIds.has(id) && !running.has(id)) await files.remove(id)
}
