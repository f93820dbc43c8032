import { InvalidArgumentError, Option } from 'commander'
import { StartError } from '../data-folder.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findProjectById } from '../store/metadata/projects.ts'

/** `--project <id>`; default 1, the first project. */
export const createProjectOption = (): Option =>
  new Option('--project <id>', 'the id of the project').argParser(parseProjectId).default(1)

/** Throws `StartError` when the project does not exist. */
export const requireProject = async (metadata: Metadata, id: number): Promise<void> => {
  if ((await findProjectById(metadata, id)) !== undefined) return
  throw new StartError(`There is no project ${id}; run "waymark-service project list" for all projects.`)
}

/** Parses the id of a project on the command line. */
export const parseProjectId = (value: string): number => {
  const id = Number(value)
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidArgumentError('A project id must be a whole number from 1.')
}
