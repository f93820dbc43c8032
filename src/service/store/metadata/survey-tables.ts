/** The table of surveys. The front (the HTTP process) writes it. */
export interface SurveyTables {
  surveys: {
    /** A uuid. */
    id: string
    project_id: number
    /** JSON of the survey without id and version. */
    definition: string
    /** Starts at 1 and increases with each change. */
    version: number
    created_at: number
    updated_at: number
  }
}
