import { DefinitionError, InUseError } from '../flags/definitions/definition-error.ts'
import type { FlagSets } from '../flags/definitions/flag-sets.ts'
import type { Named } from '../flags/definitions/check-links.ts'
import { LinkError } from '../flags/definitions/save-definitions.ts'
import type { JsonObject } from '../../wire/json.ts'
import { conflict, invalid } from '../refusal.ts'
import { touchFlagSettings } from '../store/metadata/flag-settings.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { StoredDefinition } from '../store/metadata/stored-definition.ts'

/** What the management of flags and what belongs to them stands on. */
export interface ManagementParts {
  readonly metadata: Metadata
  /** Told of every change, so that this process serves it at once; other processes look for it. */
  readonly flagSets: FlagSets
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const isSame = (one: Named, other: Named | undefined): boolean => one.kind === other?.kind && one.name === other.name

/** What a change of definitions refuses, as an answer. `subject` is what the request is about: places in it can be named. */
const toAnswer = (error: unknown, subject: Named | undefined): unknown => {
  if (error instanceof InUseError) return conflict('in_use', `Nothing was changed: ${error.message}.`)
  if (!(error instanceof DefinitionError)) return error
  if (error instanceof LinkError && !isSame(error.subject, subject)) {
    const { kind, name } = error.subject
    return invalid('invalid_definition', `Of ${kind} "${name}", ${error.message}.`, null, error)
  }
  return invalid('invalid_definition', `${error.message}.`, error.attr, error)
}

/**
 * Runs a change in a transaction. Throws `Refusal`.
 *
 * @param subject Answers what the request is about, as far as that has a name.
 */
export const changeStored = async <Result>(
  metadata: Metadata,
  run: (transaction: Metadata) => Promise<Result>,
  subject: () => Named | undefined = () => undefined,
): Promise<Result> => {
  try {
    return await metadata.transaction().execute(run)
  } catch (error) {
    throw toAnswer(error, subject())
  }
}

/**
 * Runs a change of a project's definitions in a transaction, in which their revision grows, and serves it from then on.
 * Throws `Refusal`.
 *
 * @param run Answers the result, and what it is about where that has a name before it is stored.
 */
export const changeDefinitions = async <Result>(
  { metadata, flagSets }: ManagementParts,
  projectId: number,
  run: (transaction: Metadata, about: (subject: Named) => void) => Promise<Result>,
): Promise<Result> => {
  let subject: Named | undefined
  const change = async (transaction: Metadata): Promise<Result> => {
    // First, so that a store with several writers makes the next change of this project wait before it reads.
    await touchFlagSettings(transaction, projectId)
    return run(transaction, (named) => {
      subject = named
    })
  }
  const result = await changeStored(metadata, change, () => subject)
  // The change is stored: where it cannot be read now, it is at the next look.
  await flagSets.changed(projectId).catch(() => undefined)
  return result
}

/** Throws `Refusal` (409) when a change was made to something else than what is stored now. */
export const checkVersion = ({ version }: { readonly version: number }, body: JsonObject): void => {
  const given = body['version']
  if (given === undefined || given === null) return
  if (typeof given !== 'number' || !Number.isSafeInteger(given))
    throw invalid('invalid_version', '"version" must be a whole number.', 'version')
  if (given !== version)
    throw conflict(
      'version_conflict',
      `This is at version ${version} now, not ${given}: read it again, and change that.`,
      'version',
    )
}

/** A definition with the fields that a body names, each replaced whole. */
export const patched = (stored: StoredDefinition<object, unknown>, body: JsonObject): JsonObject => ({
  // What is stored came as JSON.
  ...(stored.given as JsonObject),
  ...body,
})

/** A definition as the management API answers it. */
export const definitionBody = ({
  id,
  version,
  createdAt,
  updatedAt,
  given,
}: StoredDefinition<object, unknown>): object => ({
  id,
  ...given,
  version,
  created_at: new Date(createdAt).toISOString(),
  updated_at: new Date(updatedAt).toISOString(),
})
