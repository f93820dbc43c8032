import { InvalidArgumentError, Option } from 'commander'
import { StartError } from '../data-folder.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { projectById } from '../store/metadata/projects.ts'

/** `--project <id>`, the first one by default. */
export const projectOption = (): Option =>
  new Option('--project <id>', 'the project it is for').argParser(projectId).default(1)

/** Throws `StartError` when there is no such project. */
export const requireProject = async (metadata: Metadata, id: number): Promise<void> => {
  if ((await projectById(metadata, id)) !== undefined) return
  throw new StartError(`There is no project ${id}; "project list" shows them.`)
}

const projectId = (value: string): number => {
  const id = Number(value)
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidArgumentError('A project is named by its number.')
}
