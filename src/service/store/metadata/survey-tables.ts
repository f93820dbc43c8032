/** The table of surveys. The front writes it. */
export interface SurveyTables {
  surveys: {
    /** A uuid. */
    id: string
    project_id: number
    /** The survey as it was given, JSON, without id and version. */
    definition: string
    /** 1 at first, one more with each change. */
    version: number
    created_at: number
    updated_at: number
  }
}
