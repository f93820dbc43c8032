import { DefinitionError, InUseError } from '../flags/definitions/definition-error.ts'
import type { FlagSets } from '../flags/definitions/flag-sets.ts'
import type { DefinitionRef } from '../flags/definitions/check-references.ts'
import { NamedDefinitionError } from '../flags/definitions/save-definitions.ts'
import type { JsonObject } from '../../wire/json.ts'
import { conflict, badRequest } from '../http-error.ts'
import { noop } from '../noop.ts'
import { touchFlagSettings } from '../store/metadata/flag-settings.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { StoredDefinition } from '../store/metadata/stored-definition.ts'
import type { ChangeRequest } from './resource.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** Dependencies of the resources that change flag definitions. */
export interface ManagementContext {
  readonly metadata: Metadata
  /** Reloaded after every change, so that this process serves it at once. Other processes poll for it. */
  readonly flagSets: FlagSets
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const isSameRef = (a: DefinitionRef, b: DefinitionRef | undefined): boolean => a.kind === b?.kind && a.name === b.name

/** Turns a rejected change into an `HttpError`. `attr` is set only for errors in `subject`, the definition in the request. */
const toHttpError = (error: unknown, subject: DefinitionRef | undefined): unknown => {
  if (error instanceof InUseError) return conflict('in_use', `Nothing was changed: ${error.message}.`)
  if (!(error instanceof DefinitionError)) return error
  if (error instanceof NamedDefinitionError && !isSameRef(error.subject, subject)) {
    const { kind, name } = error.subject
    return badRequest('invalid_definition', `In ${kind} "${name}": ${error.message}.`, null, error)
  }
  return badRequest('invalid_definition', `${error.message}.`, error.attr, error)
}

/**
 * Runs a change in the transaction of its request. Throws `HttpError`.
 *
 * @param subject Returns the definition that the request is about, if it has a name.
 */
export const runChange = async <Result>(
  { transact }: Pick<ChangeRequest, 'transact'>,
  run: (transaction: Metadata) => Promise<Result>,
  subject: () => DefinitionRef | undefined = () => undefined,
): Promise<Result> => {
  try {
    return await transact(run)
  } catch (error) {
    throw toHttpError(error, subject())
  }
}

/**
 * Runs a change of a project's definitions in a transaction that increments their revision. This process serves the change
 * before the promise resolves.
 * Throws `HttpError`.
 *
 * @param run Returns the result. It calls `setSubject` once the changed definition has a name, which is before it is stored.
 */
export const changeDefinitions = async <Result>(
  { flagSets }: Pick<ManagementContext, 'flagSets'>,
  request: ChangeRequest,
  run: (transaction: Metadata, setSubject: (subject: DefinitionRef) => void) => Promise<Result>,
): Promise<Result> => {
  const { projectId } = request
  let subject: DefinitionRef | undefined
  const change = async (transaction: Metadata): Promise<Result> => {
    // Before anything else is read: in a store with several writers, the next change of this project then waits.
    await touchFlagSettings(transaction, projectId)
    return run(transaction, (ref) => {
      subject = ref
    })
  }
  const result = await runChange(request, change, () => subject)
  // The change is stored. If it cannot be read now, it will be at the next poll.
  await flagSets.reload(projectId).catch(noop)
  return result
}

/** Throws `HttpError` (409) when the body was based on an older version than the stored one. */
export const checkVersion = (
  { version }: { readonly version: number },
  { version: expected }: { readonly version?: unknown },
): void => {
  if (expected === undefined || expected === null) return
  if (typeof expected !== 'number' || !Number.isSafeInteger(expected))
    throw badRequest('invalid_version', '"version" must be an integer.', 'version')
  if (expected !== version)
    throw conflict(
      'version_conflict',
      `The stored version is ${version}, not ${expected}. Read the current version and apply your change to it.`,
      'version',
    )
}

/** Returns the stored definition with the fields of the body; each field is replaced completely. */
export const applyPatch = (stored: StoredDefinition<object, unknown>, body: JsonObject): JsonObject => ({
  // Stored definitions are JSON.
  ...(stored.definition as JsonObject),
  ...body,
})

/** Returns a definition in the form of the management API. */
export const toDefinitionBody = ({
  id,
  version,
  createdAt,
  updatedAt,
  definition,
}: StoredDefinition<object, unknown>): object => ({
  id,
  ...definition,
  version,
  created_at: toIsoTime(createdAt),
  updated_at: toIsoTime(updatedAt),
})
