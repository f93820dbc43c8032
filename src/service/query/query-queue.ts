/** Decides which query runs next. Projects take turns, so one project's queries do not hold up those of another. */
export interface QueryQueue<Query> {
  /** Adds a query behind the others of its project, unless too many wait. */
  add(projectId: number, query: Query): 'added' | 'project_full' | 'service_full'
  /**
   * Removes the query that runs next and gives it a slot, until `release`. Of the projects with a waiting query and a free slot it is
   * that with the fewest running queries; among equals, that which had its turn the longest time ago. Undefined when nothing can run.
   */
  next(): Query | undefined
  /** Frees the slot of a query that has ended. */
  release(projectId: number): void
  /** Removes a query; returns whether it was still waiting. */
  remove(projectId: number, query: Query): boolean
  /** Number of waiting queries of all projects. */
  waiting(): number
}

/** How many queries run and wait. */
export interface QueryQueueLimits {
  /** Slots of all projects together. */
  readonly maxRunning: number
  readonly maxRunningPerProject: number
  /** Waiting queries of all projects together. The first waiting query of a project is accepted nevertheless. */
  readonly maxWaiting: number
  readonly maxWaitingPerProject: number
}

interface ProjectQueries<Query> {
  readonly waiting: Query[]
  running: number
}

export const createQueryQueue = <Query>(limits: QueryQueueLimits): QueryQueue<Query> => {
  // The project that had its turn the longest time ago comes first. A project without queries is forgotten.
  const projects = new Map<number, ProjectQueries<Query>>()
  let running = 0
  let waiting = 0

  const forgetIdle = (projectId: number): void => {
    const project = projects.get(projectId)
    if (project?.waiting.length === 0 && project.running === 0) projects.delete(projectId)
  }

  const findNext = (): [projectId: number, project: ProjectQueries<Query>] | null => {
    let next: [number, ProjectQueries<Query>] | null = null
    for (const entry of projects) {
      const [, project] = entry
      if (project.waiting.length === 0 || project.running >= limits.maxRunningPerProject) continue
      if (next === null || project.running < next[1].running) next = entry
    }
    return next
  }

  return {
    add(projectId, query) {
      const project = projects.get(projectId) ?? { waiting: [], running: 0 }
      if (project.waiting.length >= limits.maxWaitingPerProject) return 'project_full'
      if (waiting >= limits.maxWaiting && project.waiting.length > 0) return 'service_full'
      projects.set(projectId, project)
      project.waiting.push(query)
      waiting += 1
      return 'added'
    },
    next() {
      const next = running < limits.maxRunning ? findNext() : null
      if (next === null) return undefined
      const [projectId, project] = next
      projects.delete(projectId)
      projects.set(projectId, project)
      project.running += 1
      running += 1
      waiting -= 1
      return project.waiting.shift()
    },
    release(projectId) {
      const project = projects.get(projectId)
      if (project === undefined || project.running === 0) throw new Error(`Project ${projectId} runs no query.`)
      project.running -= 1
      running -= 1
      forgetIdle(projectId)
    },
    remove(projectId, query) {
      const queries = projects.get(projectId)?.waiting ?? []
      const index = queries.indexOf(query)
      if (index < 0) return false
      queries.splice(index, 1)
      waiting -= 1
      forgetIdle(projectId)
      return true
    },
    waiting: () => waiting,
  }
}
