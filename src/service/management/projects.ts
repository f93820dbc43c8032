import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import { changeAuthorized } from '../auth/authorize.ts'
import { getCaller, getProject } from '../auth/request-access.ts'
import { findOrganizationAccess } from '../auth/organization-access.ts'
import { CURRENT, findProjectAccess, listProjectAccess, requireLevel } from '../auth/project-access.ts'
import type { ProjectAccess } from '../auth/project-access.ts'
import { badRequest } from '../http-error.ts'
import type { FilterContext } from '../insight/filter/filter-context.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { parseFilters } from '../insight/filter/parse-filters.ts'
import { isTimeZone } from '../insight/time/calendar.ts'
import { requestUrl } from '../http/request-url.ts'
import { LEVELS } from '../permission/levels.ts'
import type { Level } from '../permission/levels.ts'
import { ApiErrorSchema } from '../schema/api-error.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { createProject, updateProject } from '../store/metadata/projects.ts'
import type { Project, ProjectSettings } from '../store/metadata/projects.ts'
import type { Api } from './api.ts'
import { checkVersion } from './change.ts'
import { checkNewFilters } from './check-new-query.ts'
import { parseRequestFilters } from './filter-http-error.ts'
import { readPage, toListBody } from './page.ts'
import { ProjectChange, ProjectInput, ProjectSchema } from './schema/project.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** Dependencies of the projects. */
export interface ProjectsOptions {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const toBody = ({ project, level }: ProjectAccess): Static<typeof ProjectSchema> => ({
  id: project.id,
  project_id: String(project.id),
  uuid: project.uuid,
  organization: project.organizationId,
  name: project.name,
  api_token: project.apiKey,
  is_private: project.isPrivate,
  effective_membership_level: level as Level,
  timezone: project.calendar.timeZone,
  week_start_day: project.calendar.weekStart === 'monday' ? 1 : 0,
  test_account_filters: project.testAccountFilters.map((filter) => ({ ...filter })),
  event_quota: project.eventQuota,
  version: project.version,
  created_at: toIsoTime(project.createdAt),
  updated_at: toIsoTime(project.updatedAt),
})

/** Applies the fields of a body to the settings of a project. Throws `HttpError`. */
const applyProjectBody = (project: Project, body: Static<typeof ProjectChange>): ProjectSettings => {
  const { timezone: timeZone = project.calendar.timeZone, week_start_day: weekStartDay } = body
  if (!isTimeZone(timeZone))
    throw badRequest(
      'invalid_input',
      `"timezone" must be a name in the IANA database, such as "Europe/Berlin".`,
      'timezone',
    )
  const weekStart = weekStartDay === 1 ? 'monday' : 'sunday'
  return {
    name: body.name ?? project.name,
    isPrivate: body.is_private ?? project.isPrivate,
    calendar: { timeZone, weekStart: weekStartDay === undefined ? project.calendar.weekStart : weekStart },
    testAccountFilters: (body.test_account_filters as readonly JsonObject[] | undefined) ?? project.testAccountFilters,
  }
}

/** Throws `HttpError` for new filters that cannot be applied to events. */
const checkTestAccountFilters = ({ testAccountFilters }: ProjectSettings, context: FilterContext): void => {
  checkNewFilters([...testAccountFilters], 'test_account_filters')
  parseRequestFilters(() => parseFilters([...testAccountFilters], 'test_account_filters', context))
}

/** Adds the list of projects under one of its two paths. */
export const addProjects = (api: Api, { metadata, now }: ProjectsOptions): void => {
  const create = async (
    request: FastifyRequest,
    body: Static<typeof ProjectInput>,
  ): Promise<Static<typeof ProjectSchema>> =>
    changeAuthorized(metadata, request, now, async (transaction) => {
      const caller = getCaller(request)
      const { name, is_private: isPrivate = false, organization: organizationId = CURRENT } = body
      const { organization, level } = await findOrganizationAccess(transaction, caller, organizationId)
      requireLevel(level, LEVELS.administrator, 'this organisation')
      const { id } = await createProject(transaction, name, now(), { organizationId: organization.id, isPrivate })
      return toBody(await findProjectAccess(transaction, caller, String(id)))
    })
  for (const family of ['environments', 'projects']) {
    const tags = ['projects']
    const prefix = family === 'projects' ? 'projects' : 'projects_of_environments'
    api.get(
      `/api/${family}/`,
      {
        config: { access: { kind: 'personalKey', scope: 'project:read' } },
        schema: {
          operationId: `${prefix}_list`,
          summary: 'Lists the projects that you may see, in pages',
          tags,
          querystring: Type.Object(PageQuery),
          response: { 200: ListOf(refTo(ProjectSchema)) },
        },
      },
      async (request) => {
        const page = readPage(request.query)
        const all = await listProjectAccess(metadata, getCaller(request))
        const items = all.slice(page.offset, page.offset + page.limit).map(toBody)
        return toListBody({ count: all.length, items }, page, requestUrl(request))
      },
    )
    api.post(
      `/api/${family}/`,
      {
        config: { access: { kind: 'personalKey', scope: 'project:write' } },
        schema: {
          operationId: `${prefix}_create`,
          summary: 'Creates a project; this needs level 8 in its organisation',
          tags,
          body: ProjectInput,
          response: {
            201: refTo(ProjectSchema, { description: 'The project.' }),
            404: refTo(ApiErrorSchema, { description: 'The organisation does not exist, or the key may not see it.' }),
          },
        },
      },
      async (request, reply) => reply.status(201).send(await create(request, request.body)),
    )
  }
}

/** Adds the project itself to the paths of a project. */
export const addProject = (api: Api, { metadata, now }: ProjectsOptions): void => {
  const tags = ['projects']
  const params = Type.Object(ProjectParams)
  const Project = refTo(ProjectSchema, { description: 'The project.' })
  api.get(
    '/',
    {
      prefixTrailingSlash: 'slash',
      config: { access: { kind: 'personalKey', scope: 'project:read' } },
      schema: { operationId: 'project_retrieve', summary: 'Reads a project', tags, params, response: { 200: Project } },
    },
    (request) => Promise.resolve(toBody(getProject(request))),
  )
  api.patch(
    '/',
    {
      prefixTrailingSlash: 'slash',
      config: { access: { kind: 'personalKey', scope: 'project:write', level: LEVELS.administrator } },
      schema: {
        operationId: 'project_partial_update',
        summary: 'Changes a project',
        tags,
        params,
        body: ProjectChange,
        response: { 200: Project },
      },
    },
    (request) =>
      changeAuthorized(metadata, request, now, async (transaction) => {
        const { project } = getProject(request)
        checkVersion(project, request.body)
        const settings = applyProjectBody(project, request.body)
        // Clients send back what they have read, which may be of an earlier version.
        if (!isDeepStrictEqual(settings.testAccountFilters, project.testAccountFilters))
          checkTestAccountFilters(settings, await loadFilterContext(transaction, project.id, now()))
        if (!isDeepStrictEqual({ ...project, ...settings }, project))
          await updateProject(transaction, project.id, settings, now())
        return toBody(await findProjectAccess(transaction, getCaller(request), String(project.id)))
      }),
  )
}
