/**
 * The types of the management API: generated from the OpenAPI document of the service, do not edit. A test fails when it differs; this
 * writes it anew: npx vitest run -c test/config/vitest.config.ts test/management/schema.test.ts -u
 */

export interface paths {
    readonly "/api/early_access_features/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the early access features in which people can enrol */
        readonly get: operations["early_access_features_public_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the projects that you may see, in pages */
        readonly get: operations["projects_of_environments_list"];
        readonly put?: never;
        /** Creates a project; this needs level 8 in its organisation */
        readonly post: operations["projects_of_environments_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a project */
        readonly get: operations["project_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Changes a project */
        readonly patch: operations["project_partial_update"];
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/cohorts/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists every cohort of a project, in pages */
        readonly get: operations["cohorts_list"];
        readonly put?: never;
        /** Creates a cohort */
        readonly post: operations["cohorts_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/cohorts/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a cohort */
        readonly get: operations["cohorts_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Removes a cohort for good */
        readonly delete: operations["cohorts_destroy"];
        readonly options?: never;
        readonly head?: never;
        /** Changes the fields of a cohort that the body contains */
        readonly patch: operations["cohorts_update"];
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/dashboards/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the dashboards of a project, in pages, without deleted ones and without tiles */
        readonly get: operations["dashboards_list"];
        readonly put?: never;
        /** Creates a dashboard */
        readonly post: operations["dashboards_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/dashboards/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a dashboard with the answers of its insights, also a deleted one */
        readonly get: operations["dashboards_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Changes the fields and tiles of a dashboard that the body contains; also deletes and restores it */
        readonly patch: operations["dashboards_partial_update"];
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/early_access_feature/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists every early access feature of a project, in pages */
        readonly get: operations["early_access_feature_list"];
        readonly put?: never;
        /** Creates a early access feature */
        readonly post: operations["early_access_feature_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/early_access_feature/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a early access feature */
        readonly get: operations["early_access_feature_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Removes a early access feature for good */
        readonly delete: operations["early_access_feature_destroy"];
        readonly options?: never;
        readonly head?: never;
        /** Changes the fields of a early access feature that the body contains */
        readonly patch: operations["early_access_feature_update"];
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/event_definitions/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the names of events that a project has, in pages, the most frequent first */
        readonly get: operations["event_definitions_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/events/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the events of a project, in pages, the newest first */
        readonly get: operations["events_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/events/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads an event */
        readonly get: operations["events_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/explicit_members/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists all explicit members of a project */
        readonly get: operations["explicit_members_list"];
        readonly put?: never;
        /** Adds a member of the organisation to a project */
        readonly post: operations["explicit_members_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/explicit_members/{parent_membership__user__uuid}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads an explicit member */
        readonly get: operations["explicit_members_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Removes an explicit member; members may remove themselves */
        readonly delete: operations["explicit_members_destroy"];
        readonly options?: never;
        readonly head?: never;
        /** Changes the level of an explicit member */
        readonly patch: operations["explicit_members_partial_update"];
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/exports/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the exports of a project, newest first, in pages */
        readonly get: operations["exports_list"];
        readonly put?: never;
        /** Starts to export an insight, a dashboard or the answer to a query */
        readonly post: operations["exports_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/exports/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads an export; `has_content` tells whether its content can be read */
        readonly get: operations["exports_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Removes an export and its content, and ends its job */
        readonly delete: operations["exports_destroy"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/exports/{id}/content/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the content of an export */
        readonly get: operations["exports_content_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/feature_flags/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists every feature flag of a project, in pages */
        readonly get: operations["feature_flags_list"];
        readonly put?: never;
        /** Creates a feature flag */
        readonly post: operations["feature_flags_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/feature_flags/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a feature flag */
        readonly get: operations["feature_flags_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Removes a feature flag for good */
        readonly delete: operations["feature_flags_destroy"];
        readonly options?: never;
        readonly head?: never;
        /** Changes the fields of a feature flag that the body contains */
        readonly patch: operations["feature_flags_update"];
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/feature_flags/{id}/remote_config": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the payload of a feature flag, for every user, even if the flag is off */
        readonly get: operations["feature_flags_remote_config_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/groups_types/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists every group type of a project, in pages */
        readonly get: operations["groups_types_list"];
        readonly put?: never;
        /** Creates a group type */
        readonly post: operations["groups_types_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/groups_types/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a group type */
        readonly get: operations["groups_types_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Removes a group type for good */
        readonly delete: operations["groups_types_destroy"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/groups/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the groups of one type, in pages, the newest first */
        readonly get: operations["groups_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/groups/find/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a group */
        readonly get: operations["groups_find_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/insights/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the insights of a project, in pages, without deleted ones */
        readonly get: operations["insights_list"];
        readonly put?: never;
        /** Creates an insight */
        readonly post: operations["insights_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/insights/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads an insight with its answer, also a deleted one */
        readonly get: operations["insights_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Changes the fields of an insight that the body contains; also deletes and restores it */
        readonly patch: operations["insights_partial_update"];
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/persons/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the persons of a project, in pages, the newest first */
        readonly get: operations["persons_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/persons/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a person */
        readonly get: operations["persons_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/property_definitions/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the properties that the newest events, persons or groups of a project have, in pages */
        readonly get: operations["property_definitions_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/query/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Runs a query and waits for the result, or starts it as a job */
        readonly post: operations["query_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/query/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads the status of a query, and the result of a job */
        readonly get: operations["query_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Cancels a query. One that has ended stays as it is */
        readonly delete: operations["query_destroy"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/query/check_auth_for_async/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Tells whether the key may run queries as jobs */
        readonly post: operations["query_check_auth_for_async_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/query/draft_sql/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Drafts a SELECT from a question in English, with the names that the project has */
        readonly get: operations["query_draft_sql_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/session_recording_playlists/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the session recording playlists of a project, in pages, without deleted ones */
        readonly get: operations["session_recording_playlists_list"];
        readonly put?: never;
        /** Creates a session recording playlist */
        readonly post: operations["session_recording_playlists_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/session_recording_playlists/{short_id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a session recording playlist, also a deleted one */
        readonly get: operations["session_recording_playlists_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Changes the fields of a session recording playlist that the body contains; also deletes and restores it */
        readonly patch: operations["session_recording_playlists_update"];
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/surveys/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists every survey of a project, in pages */
        readonly get: operations["surveys_list"];
        readonly put?: never;
        /** Creates a survey */
        readonly post: operations["surveys_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/environments/{project_id}/surveys/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a survey */
        readonly get: operations["surveys_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Removes a survey for good */
        readonly delete: operations["surveys_destroy"];
        readonly options?: never;
        readonly head?: never;
        /** Changes the fields of a survey that the body contains */
        readonly patch: operations["surveys_update"];
        readonly trace?: never;
    };
    readonly "/api/feature_flag/local_evaluation/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads all flag definitions, for evaluation by an agent */
        readonly get: operations["feature_flag_local_evaluation_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/organizations/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists your organisations, in pages */
        readonly get: operations["organizations_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/organizations/{organization_id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads an organisation */
        readonly get: operations["organizations_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Changes the name of an organisation */
        readonly patch: operations["organizations_partial_update"];
        readonly trace?: never;
    };
    readonly "/api/organizations/{organization_id}/members/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the members of an organisation, in pages */
        readonly get: operations["organization_members_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/organizations/{organization_id}/members/{user__uuid}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a member of an organisation */
        readonly get: operations["organization_members_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Removes a member of an organisation; members may remove themselves */
        readonly delete: operations["organization_members_destroy"];
        readonly options?: never;
        readonly head?: never;
        /** Changes the level of a member of an organisation */
        readonly patch: operations["organization_members_partial_update"];
        readonly trace?: never;
    };
    readonly "/api/personal_api_keys/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the keys of your user, for a limited key those within its limits */
        readonly get: operations["personal_api_keys_list"];
        readonly put?: never;
        /** Creates a key; its value is shown only once */
        readonly post: operations["personal_api_keys_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/personal_api_keys/{id}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a key, without its value */
        readonly get: operations["personal_api_keys_retrieve"];
        readonly put?: never;
        readonly post?: never;
        /** Revokes a key at once */
        readonly delete: operations["personal_api_keys_destroy"];
        readonly options?: never;
        readonly head?: never;
        /** Changes the label, the scopes, the limits or the expiry of a key */
        readonly patch: operations["personal_api_keys_partial_update"];
        readonly trace?: never;
    };
    readonly "/api/projects/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the projects that you may see, in pages */
        readonly get: operations["projects_list"];
        readonly put?: never;
        /** Creates a project; this needs level 8 in its organisation */
        readonly post: operations["projects_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schema/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The OpenAPI 3.1 document of this API */
        readonly get: operations["schema_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/surveys/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the surveys of a project for its pages */
        readonly get: operations["surveys_public_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/users/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the users of your organisations, in pages */
        readonly get: operations["users_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/users/{uuid}/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reads a user */
        readonly get: operations["users_retrieve"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Changes the user of the key */
        readonly patch: operations["users_partial_update"];
        readonly trace?: never;
    };
    readonly "/api/web_experiments/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** An empty list: the service has no web experiments */
        readonly get: operations["web_experiments_public_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A person who works with the service, as a resource. */
        readonly Account: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /** @description Under which events of the user can be captured. */
            readonly distinct_id: string;
            /**
             * Format: email
             * @description Unique.
             */
            readonly email: string;
            readonly first_name: string;
            /** @description Settings of the user interface of the protocol; kept as they are. At most 4096 bytes of JSON. */
            readonly hedgehog_config: {
                readonly [key: string]: unknown;
            };
            readonly id: number;
            /** @description Whether the user was seen to own the address. */
            readonly is_email_verified: boolean;
            readonly last_name: string;
            /**
             * @description What the user does; empty when unknown.
             * @enum {unknown}
             */
            readonly role_at_organization: "engineering" | "data" | "product" | "founder" | "leadership" | "marketing" | "sales" | "other" | "";
            /**
             * Format: uuid
             * @description Id in paths.
             */
            readonly uuid: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
        };
        /** @description Persons or groups: those behind one point of an insight, or all persons. */
        readonly ActorsQuery: {
            /** @enum {unknown} */
            readonly kind: "ActorsQuery";
            /** @description Default: 100. */
            readonly limit?: number | null;
            /** @description Default: 0. */
            readonly offset?: number | null;
            /** @description `created_at` or `id`, each with `ASC` or `DESC`. Default: `created_at DESC`. */
            readonly orderBy?: readonly string[] | null;
            /** @description Filters of the types person and cohort, as for events. */
            readonly properties?: unknown;
            /** @description A part of the id, of a distinct id, or of the properties `email` or `name`. Case is ignored. */
            readonly search?: string | null;
            /** @description Columns: `person` or `actor` is all that is known, `id` and `created_at` are a part of it. Default: `person`, or `actor` for groups, and `id`. */
            readonly select?: readonly string[] | null;
            /** @description Default: all persons. */
            readonly source?: components["schemas"]["InsightActorsQuery"] | components["schemas"]["FunnelsActorsQuery"] | null;
        };
        /** @description Conditions with a name, for use in flags. */
        readonly Cohort: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /**
             * @description A deleted cohort is neither listed nor served.
             * @default false
             */
            readonly deleted: boolean;
            readonly description?: string | null;
            readonly filters: {
                /** @description A tree of `{type: "AND" | "OR", values}`; its leaves are conditions. `{}` is everybody. */
                readonly properties: {
                    readonly [key: string]: unknown;
                };
            } & {
                readonly [key: string]: unknown;
            };
            readonly id: number;
            readonly name: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly updated_at: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
            /** @description In the answer to a change: fields of the body that have no effect, each in a sentence; missing without one. */
            readonly warnings?: readonly string[];
        } & {
            readonly [key: string]: unknown;
        };
        /** @description A page of insights and texts. */
        readonly Dashboard: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /** @description Null for a user that was removed. */
            readonly created_by: components["schemas"]["User"] | null;
            /**
             * @description `duplicate`: it was made from another one.
             * @enum {unknown}
             */
            readonly creation_mode: "default" | "duplicate";
            /** @description A deleted dashboard is kept, but not listed. */
            readonly deleted: boolean;
            readonly description: string;
            /** @description `date_from`, `date_to` and `properties` for all its insights; other fields are kept. */
            readonly filters: {
                readonly [key: string]: unknown;
            };
            readonly id: number;
            /** @description Always false: a dashboard needs a key. */
            readonly is_shared: boolean;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly last_modified_at: string;
            /** @description Null for a user that was removed. */
            readonly last_modified_by: components["schemas"]["User"] | null;
            /** @description When it was read last. */
            readonly last_viewed_at: string | null;
            readonly name: string;
            /** @description `date_from`, `date_to` and `properties` for all its insights; other fields are kept. */
            readonly persisted_filters: {
                readonly [key: string]: unknown;
            };
            readonly pinned: boolean;
            readonly tags: readonly string[];
            /** @description Id of the project. */
            readonly team_id: number;
            /** @description In their order, without deleted ones. */
            readonly tiles: readonly {
                readonly color: string | null;
                readonly deleted: boolean;
                /** @description Why its insight has no answer; null without an error. */
                readonly error: {
                    /** @description One sentence, or a few, for people. */
                    readonly message: string;
                    /** @description The `error_code` of the query. */
                    readonly type: string;
                } | null;
                readonly id: number;
                /** @description Null for a text. */
                readonly insight: components["schemas"]["Insight"] | null;
                readonly is_cached: boolean;
                readonly last_refresh: string | null;
                /** @description Where the tile is on screens of each size (`sm`, `xs`); kept as it is. */
                readonly layouts: {
                    readonly [key: string]: unknown;
                };
                /** @description Tiles are listed by it. */
                readonly order: number;
                /** @description Null for an insight. */
                readonly text: {
                    readonly body: string;
                } | null;
            }[];
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
        };
        /** @description A dashboard in a list, without its tiles. */
        readonly DashboardSummary: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /** @description Null for a user that was removed. */
            readonly created_by: components["schemas"]["User"] | null;
            /**
             * @description `duplicate`: it was made from another one.
             * @enum {unknown}
             */
            readonly creation_mode: "default" | "duplicate";
            /** @description A deleted dashboard is kept, but not listed. */
            readonly deleted: boolean;
            readonly description: string;
            /** @description `date_from`, `date_to` and `properties` for all its insights; other fields are kept. */
            readonly filters: {
                readonly [key: string]: unknown;
            };
            readonly id: number;
            /** @description Always false: a dashboard needs a key. */
            readonly is_shared: boolean;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly last_modified_at: string;
            /** @description Null for a user that was removed. */
            readonly last_modified_by: components["schemas"]["User"] | null;
            /** @description When it was read last. */
            readonly last_viewed_at: string | null;
            readonly name: string;
            /** @description `date_from`, `date_to` and `properties` for all its insights; other fields are kept. */
            readonly persisted_filters: {
                readonly [key: string]: unknown;
            };
            readonly pinned: boolean;
            readonly tags: readonly string[];
            /** @description Id of the project. */
            readonly team_id: number;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
        };
        /** @description A feature that people can try before its release, by enrolling in its flag. */
        readonly EarlyAccessFeature: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            readonly description: string;
            /** @description A URL, or an empty string. */
            readonly documentation_url: string;
            /** @description The flag in which people enrol; without one, a new flag is created. It cannot be changed. */
            readonly feature_flag_id: number;
            /**
             * Format: uuid
             * @description Id in paths.
             */
            readonly id: string;
            readonly name: string;
            /** @description Anything that pages need to show the feature. */
            readonly payload: {
                readonly [key: string]: unknown;
            };
            /**
             * @description Pages do not see drafts and archived features.
             * @enum {unknown}
             */
            readonly stage: "draft" | "concept" | "alpha" | "beta" | "general-availability" | "archived";
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
            /** @description In the answer to a change: fields of the body that have no effect, each in a sentence; missing without one. */
            readonly warnings?: readonly string[];
        };
        /** @description Why a request failed. */
        readonly Error: {
            /** @description The invalid field, parameter or header. */
            readonly attr: string | null;
            /** @description A stable identifier of the exact cause, for programs. */
            readonly code: string;
            /** @description One sentence for people: what is wrong, and what is expected. */
            readonly detail: string;
            /**
             * @description The category of the error.
             * @enum {unknown}
             */
            readonly type: "validation_error" | "authentication_error" | "invalid_request" | "server_error" | "throttled_error" | "quota_limited";
        };
        /** @description A name of events that a project has. */
        readonly EventDefinition: {
            /**
             * Format: date-time
             * @description Time of the earliest event.
             */
            readonly created_at: string;
            /**
             * Format: uuid
             * @description Follows from the name.
             */
            readonly id: string;
            /**
             * Format: date-time
             * @description Time of the latest event.
             */
            readonly last_seen_at: string;
            readonly name: string;
            /** @description Number of stored events. */
            readonly volume: number;
        };
        /** @description Events, the newest ones first. */
        readonly EventsQuery: {
            /** @description Must be null or empty. */
            readonly actionId?: unknown;
            /** @description First time, in the forms of `date_from`, or `all`. Default: `-24h`. */
            readonly after?: string | null;
            /** @description The time before which they are, in the same forms. Default: in five seconds. */
            readonly before?: string | null;
            /** @description Name of the events; null for all. */
            readonly event?: string | null;
            /** @description Whether internal and test users are left out, by `test_account_filters` of the project. */
            readonly filterTestAccounts?: boolean | null;
            /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
            readonly fixedProperties?: unknown;
            /** @enum {unknown} */
            readonly kind: "EventsQuery";
            /** @description Default: 100. */
            readonly limit?: number | null;
            /** @description Default: 0. */
            readonly offset?: number | null;
            /** @description `timestamp`, `created_at`, `event`, `distinct_id` or `uuid`, each with `ASC` or `DESC`. Default: `timestamp DESC`. */
            readonly orderBy?: readonly string[] | null;
            /** @description The `uuid` of their person. */
            readonly personId?: string | null;
            /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
            readonly properties?: unknown;
            /** @description Columns: `*` is the event as an object; `event`, `uuid`, `timestamp`, `created_at`, `distinct_id`, `properties` and `person` are parts of it; `properties.$browser` and `person.properties.email` are properties as strings. */
            readonly select: readonly string[];
            /** @description Must be null or empty. */
            readonly source?: unknown;
            /** @description Must be null or empty. */
            readonly where?: unknown;
        };
        /** @description A member of the organisation who is also a member of the project itself. */
        readonly ExplicitMember: {
            /** @description The higher of `level` and `parent_level`. 1 member, 8 administrator, 15 owner. */
            readonly effective_level: 1 | 8 | 15;
            /**
             * Format: uuid
             * @description Id of the membership.
             */
            readonly id: string;
            /**
             * Format: date-time
             * @description When the user became a member of the project.
             */
            readonly joined_at: string;
            /**
             * @description The level in the project. 1 member, 8 administrator.
             * @default 1
             */
            readonly level: 1 | 8;
            /** @description The level in the organisation. 1 member, 8 administrator, 15 owner. */
            readonly parent_level: 1 | 8 | 15;
            /**
             * Format: uuid
             * @description Id of the membership of the organisation.
             */
            readonly parent_membership_id: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly updated_at: string;
            readonly user: components["schemas"]["User"];
            /**
             * Format: uuid
             * @description The user. It cannot be changed.
             */
            readonly user_uuid: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
        };
        /** @description A picture, or the rows, of an insight, a dashboard or a query. */
        readonly ExportedAsset: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /** @description Id of the dashboard that is exported. */
            readonly dashboard: number | null;
            /** @description Why there will be no content; null as long as it may come. */
            readonly exception: string | null;
            /**
             * Format: date-time
             * @description When the export and its content are removed.
             */
            readonly expires_after: string;
            readonly export_context: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Media type. */
            readonly export_format: string;
            readonly filename: string;
            /** @description Whether the content can be read. It is made after the export was created. */
            readonly has_content: boolean;
            readonly id: number;
            /** @description Id of the insight that is exported. */
            readonly insight: number | null;
        };
        /** @description A feature flag and the conditions under which it is on. */
        readonly FeatureFlag: {
            /**
             * @description An inactive flag is off for everyone.
             * @default true
             */
            readonly active: boolean;
            readonly bucketing_identifier?: ("distinct_id" | "device_id") | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /**
             * @description A deleted flag keeps its key; it is neither listed nor served.
             * @default false
             */
            readonly deleted: boolean;
            /** @description Hash by the id before `identify`, so that a user keeps the same value. */
            readonly ensure_experience_continuity?: boolean | null;
            readonly evaluation_contexts?: readonly string[] | null;
            readonly evaluation_runtime?: ("all" | "client" | "server") | null;
            /** @description Who gets the flag, and which value. */
            readonly filters: {
                /** @description The flag applies to groups of this type. */
                readonly aggregation_group_type_index?: number | null;
                /** @description The first group that matches decides. */
                readonly groups: readonly ({
                    readonly aggregation_group_type_index?: number | null;
                    readonly properties?: readonly components["schemas"]["FlagCondition"][] | null;
                    readonly rollout_percentage?: number | null;
                    /** @description Gives this variant to every match. */
                    readonly variant?: string | null;
                } & {
                    readonly [key: string]: unknown;
                })[];
                readonly multivariate?: ({
                    readonly variants: readonly ({
                        readonly key: string;
                        readonly name?: string | null;
                        /** @description All variants together have 100. */
                        readonly rollout_percentage: number;
                    } & {
                        readonly [key: string]: unknown;
                    })[];
                } & {
                    readonly [key: string]: unknown;
                }) | null;
                /** @description Variant key, or `true`, to a JSON value or a string that holds one. */
                readonly payloads?: {
                    readonly [key: string]: unknown;
                } | null;
            } & {
                readonly [key: string]: unknown;
            };
            /** @description Can be used in paths, like the key. */
            readonly id: number;
            /** @description Unique in the project. */
            readonly key: string;
            /** @description A description for people. */
            readonly name?: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly updated_at: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
            /** @description In the answer to a change: fields of the body that have no effect, each in a sentence; missing without one. */
            readonly warnings?: readonly string[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly FlagCondition: {
            readonly group_type_index?: number | null;
            /** @description Name of the property; the key of a flag; `id` for a cohort. */
            readonly key: string;
            /** @description Inside a cohort: inverts the result. In a flag it must not be true. */
            readonly negation?: boolean | null;
            /** @description Default `exact`; for a cohort `in`, for a flag `flag_evaluates_to`. */
            readonly operator?: string | null;
            /** @description Default `person`. */
            readonly type?: ("person" | "group" | "cohort" | "flag") | null;
            /** @description What the property is compared with. */
            readonly value?: unknown;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description The persons or groups who reached a step of a funnel, or who did not. */
        readonly FunnelsActorsQuery: {
            /** @description Those who did this step, counted from 1; negative, from -2: those who did the last step before it that is not optional, but not this one. */
            readonly funnelStep: number;
            /** @description The `breakdown_value` of the funnel. Default: all values. */
            readonly funnelStepBreakdown?: (string | number | readonly (string | number)[]) | null;
            /** @enum {unknown} */
            readonly kind: "FunnelsActorsQuery";
            readonly source: components["schemas"]["FunnelsQuery"];
        };
        /** @description How many persons come through a series of steps. */
        readonly FunnelsQuery: {
            /** @description Counts groups of this type instead of persons. */
            readonly aggregation_group_type_index?: number | null;
            readonly breakdownFilter?: {
                /** @description Name of a property, or the ids of cohorts; `all` among these is all events. */
                readonly breakdown?: (string | number | readonly (string | number)[]) | null;
                /** @description With the type `group`. Default: 0. */
                readonly breakdown_group_type_index?: number | null;
                /** @description Leaves out the series of all other values. */
                readonly breakdown_hide_other_aggregation?: boolean | null;
                /** @description Divides the numbers of the property into so many bins of the same width, from the least to the greatest. The value of a bin is the JSON of its bounds, `[0,10]`: from the first one on, and before the second one (the last bin includes it). */
                readonly breakdown_histogram_bin_count?: number | null;
                /** @description Values with a series of their own. Default: 25, or all bins if there are more. */
                readonly breakdown_limit?: number | null;
                /** @description Whether values lose all `/`, `?` and `#` at their end. */
                readonly breakdown_normalize_url?: boolean | null;
                readonly breakdown_type?: ("event" | "person" | "group" | "cohort" | "event_metadata") | null;
                /** @description One to three properties together, instead of `breakdown`. */
                readonly breakdowns?: readonly {
                    /** @description With the type `group`. Default: 0. */
                    readonly group_type_index?: number | null;
                    /** @description Divides the numbers of the property into so many bins of the same width, from the least to the greatest. The value of a bin is the JSON of its bounds, `[0,10]`: from the first one on, and before the second one (the last bin includes it). */
                    readonly histogram_bin_count?: number | null;
                    /** @description Whether values lose all `/`, `?` and `#` at their end. */
                    readonly normalize_url?: boolean | null;
                    readonly property: string | number;
                    readonly type?: ("event" | "person" | "group" | "cohort" | "event_metadata") | null;
                }[] | null;
            } | null;
            readonly dateRange?: {
                /** @description First day or time: an ISO 8601 date or time, a relative date such as `-7d`, `-1mStart` or `dStart`, or `all` for the first event since 2015. Default: `-7d`. */
                readonly date_from?: string | null;
                /** @description Last day or time, inclusive, in the same forms. Default: now. */
                readonly date_to?: string | null;
                /** @description True: relative dates are moments. False, the default: `-7d` is the whole day seven days ago. */
                readonly explicitDate?: boolean | null;
            } | null;
            /** @description Whether internal and test users are left out, by `test_account_filters` of the project. */
            readonly filterTestAccounts?: boolean | null;
            readonly funnelsFilter?: {
                /** @description Number of bins of times. Default: the cube root of the number of conversions. */
                readonly binCount?: number | null;
                /** @description Which event has the value of a person: the first or last one that has a value, each for itself, or that of one step. Default: `first_touch`. */
                readonly breakdownAttributionType?: ("first_touch" | "last_touch" | "all_events" | "step") | null;
                readonly breakdownAttributionValue?: number | null;
                /** @description Events that end a conversion between two steps. */
                readonly exclusions?: readonly {
                    /** @description A name that people chose. */
                    readonly custom_name?: string | null;
                    /** @description Name of the event; null for all events. */
                    readonly event?: string | null;
                    /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                    readonly fixedProperties?: unknown;
                    /** @description The step, counted from 0, after which the event ends a conversion. */
                    readonly funnelFromStep: number;
                    /** @description The step before which it does. */
                    readonly funnelToStep: number;
                    readonly kind?: "EventsNode" | null;
                    /** @description What is measured. Default: `total`. */
                    readonly math?: string | null;
                    /** @description With `unique_group`. Default: 0. */
                    readonly math_group_type_index?: number | null;
                    /** @description The property that is measured. */
                    readonly math_property?: string | null;
                    readonly math_property_type?: ("event_properties" | "person_properties") | null;
                    /** @description A name for people. */
                    readonly name?: string | null;
                    /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                    readonly properties?: unknown;
                }[] | null;
                /** @description Must be empty: persons or groups are counted. */
                readonly funnelAggregateByHogQL?: string | null;
                readonly funnelFromStep?: number | null;
                /** @description Whether other events may be between two steps, or must not (`strict`), or the order does not matter. Default: `ordered`. */
                readonly funnelOrderType?: ("ordered" | "strict" | "unordered") | null;
                /** @description How clients show percentages. */
                readonly funnelStepReference?: ("total" | "previous") | null;
                readonly funnelToStep?: number | null;
                /** @description How many reached each step, how long they took, or how many of those who began in each period converted. Default: `steps`. */
                readonly funnelVizType?: ("steps" | "time_to_convert" | "trends") | null;
                /** @description Longest time from the first step to the last, in `funnelWindowIntervalUnit`. Default: 14. */
                readonly funnelWindowInterval?: number | null;
                /** @description A month has 30 days. Default: `day`. */
                readonly funnelWindowIntervalUnit?: ("second" | "minute" | "hour" | "day" | "week" | "month") | null;
            } | null;
            /** @description The periods of trends. Default: `day`. */
            readonly interval?: ("minute" | "hour" | "day" | "week" | "month") | null;
            /** @enum {unknown} */
            readonly kind: "FunnelsQuery";
            /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
            readonly properties?: unknown;
            /** @description Ignored: all events are read. */
            readonly samplingFactor?: number | null;
            /** @description The steps. */
            readonly series: readonly {
                /** @description A name that people chose. */
                readonly custom_name?: string | null;
                /** @description Name of the event; null for all events. */
                readonly event?: string | null;
                /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                readonly fixedProperties?: unknown;
                readonly kind?: "EventsNode" | null;
                /** @description `total` (default); `first_time_for_user`: the step is only the first event of this name that the person ever had, if the filters match it; `first_time_for_user_with_filters`: the first one of this name that matches the filters. */
                readonly math?: string | null;
                /** @description With `unique_group`. Default: 0. */
                readonly math_group_type_index?: number | null;
                /** @description The property that is measured. */
                readonly math_property?: string | null;
                readonly math_property_type?: ("event_properties" | "person_properties") | null;
                /** @description A name for people. */
                readonly name?: string | null;
                /** @description Whether those who leave out this step still come to later ones. Not the first step, and not in an unordered funnel. */
                readonly optionalInFunnel?: boolean | null;
                /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                readonly properties?: unknown;
            }[];
        };
        /** @description A group, such as the company acme. */
        readonly Group: {
            /**
             * Format: date-time
             * @description Time of the earliest event that described it.
             */
            readonly created_at: string;
            readonly group_key: string;
            /** @description As they are now. */
            readonly group_properties: {
                readonly [key: string]: unknown;
            };
            /** @description Index of the group type. */
            readonly group_type_index: number;
        };
        /** @description A kind of group, such as a company. */
        readonly GroupType: {
            readonly group_type: string;
            /** @description What flags refer to. */
            readonly group_type_index: number;
        };
        /** @description A saved question, and its answer. */
        readonly Insight: {
            /** @description When it is computed again at the latest. */
            readonly cache_target_age: string | null;
            /** @description Of an answer to SQL. */
            readonly columns: readonly string[] | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /** @description Null for a user that was removed. */
            readonly created_by: components["schemas"]["User"] | null;
            readonly dashboard_tiles: readonly {
                readonly dashboard_id: number;
                readonly deleted: boolean | null;
                readonly id: number;
            }[];
            /** @description Ids of the dashboards that show it. */
            readonly dashboards: readonly number[];
            /** @description A deleted insight is kept, but not listed. */
            readonly deleted: boolean;
            /** @description A name that follows from the query, unless it was set. */
            readonly derived_name: string | null;
            readonly description: string;
            readonly favorited: boolean;
            /** @description Whether an answer to SQL has more rows. */
            readonly hasMore: boolean | null;
            readonly id: number;
            /** @description Whether the answer was computed for an earlier request. */
            readonly is_cached: boolean;
            /** @description Always false: users made all insights. */
            readonly is_sample: boolean;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly last_modified_at: string;
            /** @description Null for a user that was removed. */
            readonly last_modified_by: components["schemas"]["User"] | null;
            /** @description When the answer was computed. */
            readonly last_refresh: string | null;
            /** @description Empty for none. */
            readonly name: string;
            /** @description Before that it is not computed again, unless that is forced. */
            readonly next_allowed_client_refresh: string | null;
            readonly order: number | null;
            /** @description Null for an insight that asks nothing yet. */
            readonly query: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Of the query that this request ran or started. */
            readonly query_status: components["schemas"]["QueryStatus"] | null;
            /** @description The results of its query; null without an answer. */
            readonly result: unknown;
            /** @description Identifies the insight in links. */
            readonly short_id: string;
            readonly tags: readonly string[];
            readonly timezone: string | null;
            /** @description Of an answer to SQL. */
            readonly types: readonly string[] | null;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly updated_at: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
            /** @description Events and properties that the query names and the project never had, each in a sentence; missing without one. */
            readonly warnings?: readonly string[];
        };
        /** @description The persons or groups behind one point of an insight. */
        readonly InsightActorsQuery: {
            /** @description Trends: the `breakdown_value` of the series. Default: all values. */
            readonly breakdown?: (string | number | readonly (string | number)[]) | null;
            /** @description Trends and stickiness: which of two ranges that are compared. Default: `current`. */
            readonly compare?: ("current" | "previous") | null;
            /** @description Trends and lifecycles: one of the `days` of the answer, a string. Stickiness: one of its `days`, a number. Default: the whole range; lifecycles need a day. */
            readonly day?: (string | number) | null;
            /** @description Retention: index of the result, whose cohort is listed. */
            readonly interval?: number | null;
            /** @enum {unknown} */
            readonly kind: "InsightActorsQuery";
            /** @description Trends and stickiness: index of the series. Default: 0. */
            readonly series?: number | null;
            /** @description The query of the insight. Keys in the `pathsFilter` of paths name their point. */
            readonly source: components["schemas"]["TrendsQuery"] | components["schemas"]["StickinessQuery"] | components["schemas"]["LifecycleQuery"] | components["schemas"]["RetentionQuery"] | components["schemas"]["PathsQuery"];
            /** @description Lifecycles: the status. */
            readonly status?: ("new" | "returning" | "resurrecting" | "dormant") | null;
        };
        /** @description The answer to a query of an insight, and its status. */
        readonly InsightResponse: {
            /** @description Identifies the query with the settings that it depends on. */
            readonly cache_key: string;
            /**
             * Format: date-time
             * @description When it is computed again at the latest.
             */
            readonly cache_target_age: string;
            /** @description The columns of `results`, where these are rows. */
            readonly columns?: readonly string[];
            /** @description Whether there are more rows. */
            readonly hasMore?: boolean;
            /** @description Whether the answer was computed for an earlier request. */
            readonly is_cached: boolean;
            /**
             * Format: date-time
             * @description When it was computed.
             */
            readonly last_refresh: string;
            /** @description Most rows of the answer. */
            readonly limit?: number;
            /** @description Persons or groups of whom nothing is known but their id; they are not in `results`. */
            readonly missing_actors_count?: number;
            /**
             * Format: date-time
             * @description Before that it is not computed again although events arrive, unless that is forced.
             */
            readonly next_allowed_client_refresh: string;
            /** @description Rows before the first one. */
            readonly offset?: number;
            readonly query_status: components["schemas"]["QueryStatus"];
            /** @description Depends on the kind of the query. */
            readonly results: unknown;
            /** @description The time zone of the project, whose days are meant. */
            readonly timezone: string;
            /** @description Events and properties that the query names and the project never had, each in a sentence; missing without one. */
            readonly warnings?: readonly string[];
        };
        /** @description The answer to a query of an insight. */
        readonly InsightResult: {
            /** @description Identifies the query with the settings that it depends on. */
            readonly cache_key: string;
            /**
             * Format: date-time
             * @description When it is computed again at the latest.
             */
            readonly cache_target_age: string;
            /** @description The columns of `results`, where these are rows. */
            readonly columns?: readonly string[];
            /** @description Whether there are more rows. */
            readonly hasMore?: boolean;
            /** @description Whether the answer was computed for an earlier request. */
            readonly is_cached: boolean;
            /**
             * Format: date-time
             * @description When it was computed.
             */
            readonly last_refresh: string;
            /** @description Most rows of the answer. */
            readonly limit?: number;
            /** @description Persons or groups of whom nothing is known but their id; they are not in `results`. */
            readonly missing_actors_count?: number;
            /**
             * Format: date-time
             * @description Before that it is not computed again although events arrive, unless that is forced.
             */
            readonly next_allowed_client_refresh: string;
            /** @description Rows before the first one. */
            readonly offset?: number;
            /** @description Depends on the kind of the query. */
            readonly results: unknown;
            /** @description The time zone of the project, whose days are meant. */
            readonly timezone: string;
            /** @description Events and properties that the query names and the project never had, each in a sentence; missing without one. */
            readonly warnings?: readonly string[];
        };
        /** @description How many persons or groups were new, returning, resurrecting or dormant in each hour, day, week or month. A new one was created in it; a returning one had events in the one before, too; a dormant one had events only in the one before. */
        readonly LifecycleQuery: {
            /** @description Counts groups of this type instead of persons. */
            readonly aggregation_group_type_index?: number | null;
            readonly dateRange?: {
                /** @description First day or time: an ISO 8601 date or time, a relative date such as `-7d`, `-1mStart` or `dStart`, or `all` for the first event since 2015. Default: `-7d`. */
                readonly date_from?: string | null;
                /** @description Last day or time, inclusive, in the same forms. Default: now. */
                readonly date_to?: string | null;
                /** @description True: relative dates are moments. False, the default: `-7d` is the whole day seven days ago. */
                readonly explicitDate?: boolean | null;
            } | null;
            /** @description Whether internal and test users are left out, by `test_account_filters` of the project. */
            readonly filterTestAccounts?: boolean | null;
            /** @description Default: `day`. All intervals are whole, also the first and the last one. */
            readonly interval?: ("minute" | "hour" | "day" | "week" | "month") | null;
            /** @enum {unknown} */
            readonly kind: "LifecycleQuery";
            readonly lifecycleFilter?: {
                /** @description How clients show it. Changes no number. */
                readonly showLegend?: boolean | null;
                /** @description How clients show it. Changes no number. */
                readonly stacked?: boolean | null;
                /** @description The statuses to answer. Default: all. */
                readonly toggledLifecycles?: readonly ("new" | "returning" | "resurrecting" | "dormant")[] | null;
            } | null;
            /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
            readonly properties?: unknown;
            /** @description Ignored: all events are read. */
            readonly samplingFactor?: number | null;
            readonly series: readonly {
                /** @description A name that people chose. */
                readonly custom_name?: string | null;
                /** @description Name of the event; null for all events. */
                readonly event?: string | null;
                /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                readonly fixedProperties?: unknown;
                readonly kind?: "EventsNode" | null;
                /** @description What is measured. Default: `total`. */
                readonly math?: string | null;
                /** @description With `unique_group`. Default: 0. */
                readonly math_group_type_index?: number | null;
                /** @description The property that is measured. */
                readonly math_property?: string | null;
                readonly math_property_type?: ("event_properties" | "person_properties") | null;
                /** @description A name for people. */
                readonly name?: string | null;
                /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                readonly properties?: unknown;
            }[];
        };
        /** @description The features in which people can enrol. */
        readonly OfferedFeatures: {
            readonly earlyAccessFeatures: readonly {
                readonly description: string;
                /** @description A URL, or an empty string. */
                readonly documentationUrl: string;
                /** @description Enrolling sets the person property `$feature_enrollment/<key>`. */
                readonly flagKey: string;
                /**
                 * Format: uuid
                 * @description Id of the feature.
                 */
                readonly id: string;
                readonly name: string;
                /** @description Anything that pages need to show the feature. */
                readonly payload: {
                    readonly [key: string]: unknown;
                };
                /**
                 * @description Pages do not see drafts and archived features.
                 * @enum {unknown}
                 */
                readonly stage: "draft" | "concept" | "alpha" | "beta" | "general-availability" | "archived";
            }[];
        };
        /** @description The people who share projects. */
        readonly Organization: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /**
             * Format: uuid
             * @description Id in paths.
             */
            readonly id: string;
            /** @description The level of the caller. 1 member, 8 administrator, 15 owner. */
            readonly membership_level: 1 | 8 | 15;
            readonly name: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly updated_at: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
        };
        /** @description A user in an organisation. */
        readonly OrganizationMember: {
            /**
             * Format: uuid
             * @description Id of the membership.
             */
            readonly id: string;
            /**
             * Format: date-time
             * @description When the user became a member.
             */
            readonly joined_at: string;
            /** @description The level in the organisation. 1 member, 8 administrator, 15 owner. */
            readonly level: 1 | 8 | 15;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly updated_at: string;
            readonly user: components["schemas"]["User"];
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
        };
        /** @description The ways that persons or groups take from page to page, or from event to event. */
        readonly PathsQuery: {
            /** @description Counts groups of this type instead of persons. */
            readonly aggregation_group_type_index?: number | null;
            readonly dateRange?: {
                /** @description First day or time: an ISO 8601 date or time, a relative date such as `-7d`, `-1mStart` or `dStart`, or `all` for the first event since 2015. Default: `-7d`. */
                readonly date_from?: string | null;
                /** @description Last day or time, inclusive, in the same forms. Default: now. */
                readonly date_to?: string | null;
                /** @description True: relative dates are moments. False, the default: `-7d` is the whole day seven days ago. */
                readonly explicitDate?: boolean | null;
            } | null;
            /** @description Whether internal and test users are left out, by `test_account_filters` of the project. */
            readonly filterTestAccounts?: boolean | null;
            /** @description The paths around a step of a funnel alone. */
            readonly funnelPathsFilter?: {
                /**
                 * @description The paths up to the step, from the step done before it up to the step, or from the step on.
                 * @enum {unknown}
                 */
                readonly funnelPathType: "funnel_path_before_step" | "funnel_path_between_steps" | "funnel_path_after_step";
                readonly funnelSource: components["schemas"]["FunnelsQuery"];
                /** @description The step of those whose paths count, from 1; negative, from -2, of those who did the last step before it that is not optional, but not the step itself. Default: the last step. */
                readonly funnelStep?: number | null;
            } | null;
            /** @enum {unknown} */
            readonly kind: "PathsQuery";
            readonly pathsFilter: {
                /** @description Edges in the answer, the most frequent ones. Default: 50. */
                readonly edgeLimit?: number | null;
                /** @description A path ends at the first occurrence of this item. */
                readonly endPoint?: string | null;
                /** @description Items that do not count. */
                readonly excludeEvents?: readonly string[] | null;
                /** @description The events that are items: the URL of a `$pageview`, the name of a `$screen`, and the name of an event that does not begin with `$`. Default: all of them. */
                readonly includeEventTypes?: readonly ("$pageview" | "$screen" | "custom_event")[] | null;
                /** @description Leaves out edges that more paths take. */
                readonly maxEdgeWeight?: number | null;
                /** @description Leaves out edges that fewer paths take. */
                readonly minEdgeWeight?: number | null;
                /** @description Those whose path has this item as its last one that counts. Not beside the other keys. A `source` or `target` of the answer, such as `1_/home`. For `ActorsQuery` only. */
                readonly pathDropoffKey?: string | null;
                /** @description Those who came to this item; with `pathStartKey`, from that one. A `source` or `target` of the answer, such as `1_/home`. For `ActorsQuery` only. */
                readonly pathEndKey?: string | null;
                /** @description Items that match one of these become one item. `*` is any text: `/product/*`. */
                readonly pathGroupings?: readonly string[] | null;
                /** @description True: numbers and UUIDs in the path of an item become `:id`. Default: false. */
                readonly pathReplacements?: boolean | null;
                /** @description Must be null. */
                readonly pathsHogQLExpression?: unknown;
                /** @description Those who went on from this item. A `source` or `target` of the answer, such as `1_/home`. For `ActorsQuery` only. */
                readonly pathStartKey?: string | null;
                /** @description A path begins at the first occurrence of this item. */
                readonly startPoint?: string | null;
                /** @description Items of each path that count. Default: 5. */
                readonly stepLimit?: number | null;
            };
            /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
            readonly properties?: unknown;
            /** @description Ignored: all events are read. */
            readonly samplingFactor?: number | null;
        };
        /** @description The user behind one or more distinct ids. */
        readonly Person: {
            /**
             * Format: date-time
             * @description Time of the earliest event.
             */
            readonly created_at: string;
            /** @description All of them, or 1,000. */
            readonly distinct_ids: readonly string[];
            /**
             * Format: uuid
             * @description Id of the person.
             */
            readonly id: string;
            /** @description Whether `$identify` or `$create_alias` has named the person. */
            readonly is_identified: boolean;
            /** @description The property `email`, `name` or `username`, else a distinct id; one that is no UUID, if there is one. */
            readonly name: string;
            /** @description As they are now. */
            readonly properties: {
                readonly [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The same: clients of the protocol read one or the other.
             */
            readonly uuid: string;
        };
        /** @description A secret key with which a program acts for a user. */
        readonly PersonalAPIKey: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /** @description Time after which the key is refused; null for a key that does not expire. */
            readonly expires_at: string | null;
            /** @description Id in paths. */
            readonly id: string;
            /** @description The purpose of the key. */
            readonly label: string;
            /** @description The minute of the last use; null before the first. */
            readonly last_used_at: string | null;
            /** @description The first characters of the key. */
            readonly mask_value: string;
            /** @description Ids of the organisations that the key is limited to; empty for all organisations of its user. */
            readonly scoped_organizations: readonly string[];
            /** @description Ids of the projects that the key is limited to; empty for all projects of its user. */
            readonly scoped_teams: readonly number[];
            /** @description What the key may do; `*` is everything. Never more than the key that creates or changes it. */
            readonly scopes: readonly ("*" | "cohort:read" | "cohort:write" | "dashboard:read" | "dashboard:write" | "early_access_feature:read" | "early_access_feature:write" | "event_definition:read" | "event_definition:write" | "export:read" | "export:write" | "feature_flag:read" | "feature_flag:write" | "group:read" | "group:write" | "insight:read" | "insight:write" | "organization:read" | "organization:write" | "organization_member:read" | "organization_member:write" | "person:read" | "person:write" | "personal_api_key:read" | "personal_api_key:write" | "project:read" | "project:write" | "property_definition:read" | "property_definition:write" | "query:read" | "query:write" | "session_recording_playlist:read" | "session_recording_playlist:write" | "survey:read" | "survey:write" | "user:read" | "user:write")[];
            /** @description Id of its user. */
            readonly user_id: number;
            /** @description The key itself. Only the answer that creates it has it. */
            readonly value?: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
        };
        /** @description A set of events, persons and flags, and the key that its agents send. */
        readonly Project: {
            /** @description The project API key, which is public. */
            readonly api_token: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /** @description The level of the caller in the project. 1 member, 8 administrator, 15 owner. */
            readonly effective_membership_level: 1 | 8 | 15;
            /** @description Events a month; null for no limit. */
            readonly event_quota: number | null;
            readonly id: number;
            /**
             * @description Whether the project is closed to members of the organisation who are not explicit members. Administrators and owners of the organisation see it nevertheless.
             * @default false
             */
            readonly is_private: boolean;
            readonly name: string;
            /**
             * Format: uuid
             * @description Id of its organisation.
             */
            readonly organization: string;
            /** @description The id as the string that all paths take. */
            readonly project_id: string;
            /** @description What events must match in queries with `filterTestAccounts`, so that internal and test users are left out. */
            readonly test_account_filters: readonly {
                readonly [key: string]: unknown;
            }[];
            /**
             * @description The time zone in which insights count days, by its name in the IANA database.
             * @default UTC
             */
            readonly timezone: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly updated_at: string;
            /**
             * Format: uuid
             * @description Another id of the project.
             */
            readonly uuid: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
            /** @description First day of a week: 0 or null for Sunday, 1 for Monday. */
            readonly week_start_day: (0 | 1) | null;
        };
        /** @description A property that the newest events, persons or groups of a project have. */
        readonly PropertyDefinition: {
            /**
             * Format: uuid
             * @description Follows from the name.
             */
            readonly id: string;
            readonly is_numerical: boolean;
            readonly name: string;
            /** @description Of the newest values; null for values of several types, lists and objects. */
            readonly property_type: ("String" | "Numeric" | "Boolean" | "DateTime") | null;
        };
        /** @description The surveys of a project, without archived ones. */
        readonly PublicSurveys: {
            readonly survey_config: null;
            readonly surveys: readonly {
                readonly [key: string]: unknown;
            }[];
        };
        /** @description The rows of a query, and its status. */
        readonly QueryResponse: {
            readonly columns: readonly string[];
            /** @description Whether rows were left out. */
            readonly hasMore: boolean;
            readonly query_status: components["schemas"]["QueryStatus"];
            /** @description The rows, each with a value per column. Integers and decimals that a number cannot hold exactly are strings. */
            readonly results: readonly (readonly unknown[])[];
            readonly types: readonly string[];
        };
        /** @description The rows of a query. */
        readonly QueryResult: {
            readonly columns: readonly string[];
            /** @description Whether rows were left out. */
            readonly hasMore: boolean;
            /** @description The rows, each with a value per column. Integers and decimals that a number cannot hold exactly are strings. */
            readonly results: readonly (readonly unknown[])[];
            readonly types: readonly string[];
        };
        /** @description A query that waits, runs or has ended. */
        readonly QueryStatus: {
            /** @description Whether the query has ended: with a result, with an error, or by a cancellation. */
            readonly complete: boolean;
            /** @description Always null. */
            readonly dashboard_id: number | null;
            /** @description End of the query. */
            readonly end_time: string | null;
            /** @description Whether it has ended without a result. */
            readonly error: boolean;
            /** @description A stable identifier of the error, for programs: the `code` of the error that the query has when its request waits for the result, or `result_removed`. */
            readonly error_code: string | null;
            /** @description One sentence, or a few, for people. */
            readonly error_message: string | null;
            /** @description When query and result are forgotten; null until the query has ended. */
            readonly expiration_time: string | null;
            /** @description Identifies the query in its project. */
            readonly id: string;
            /** @description Always null. */
            readonly insight_id: number | null;
            /** @description The `name` of the request; null without one. */
            readonly labels: readonly string[] | null;
            /** @description When it began to run; null while it waits. */
            readonly pickup_time: string | null;
            /** @description Whether it is a job, which keeps its result. */
            readonly query_async: boolean;
            /** @description Null unless the query runs. */
            readonly query_progress: {
                /** @description Always null: the event store does not measure it. */
                readonly active_cpu_time: number | null;
                /** @description Always null: the event store does not count bytes. */
                readonly bytes_read: number | null;
                /** @description Rows that it reads in all: an estimate, which may grow. */
                readonly estimated_rows_total: number | null;
                /** @description Rows that the query has read. */
                readonly rows_read: number | null;
                /** @description Milliseconds since the query began to run. */
                readonly time_elapsed: number;
            } | null;
            /** @description The result of a job; null without one. */
            readonly results: components["schemas"]["QueryResult"] | components["schemas"]["InsightResult"] | null;
            /** @description When it was requested. */
            readonly start_time: string | null;
            /** @description Always null. */
            readonly task_id: string | null;
            /** @description Id of the project. */
            readonly team_id: number;
        };
        /** @description The status of a query. */
        readonly QueryStatusResponse: {
            readonly query_status: components["schemas"]["QueryStatus"];
        };
        /** @description The numbers of sessions of a playlist. Empty for a key without the scope `query:read`. */
        readonly RecordingsCounts: {
            /** @description Counts of a playlist of the type `collection`; otherwise null. */
            readonly collection?: {
                /** @description Always 0: recordings are not stored, so none can be picked. */
                readonly count: number | null;
                /** @description Always 0. */
                readonly watched_count: number | null;
            };
            /** @description Counts of a playlist of the type `filters`; otherwise null. */
            readonly saved_filters?: {
                /** @description Sessions that match the filters. Null for a collection, for filters on what events do not tell, and while it is not known. */
                readonly count: number | null;
                /** @description Always false: all sessions are counted. */
                readonly has_more: boolean | null;
                /** @description Whether the count has grown since it was counted before. */
                readonly increased: boolean | null;
                /** @description When it was counted. */
                readonly last_refreshed_at: string | null;
                /** @description Always 0: recordings are not stored, so none was watched. */
                readonly watched_count: number | null;
            };
        };
        /** @description How many of those who did something in an hour, day, week or month came back later. */
        readonly RetentionQuery: {
            /** @description Counts groups of this type instead of persons. */
            readonly aggregation_group_type_index?: number | null;
            /** @description Divides by the event that puts the actor in the cohort. */
            readonly breakdownFilter?: {
                /** @description Name of a property, or the ids of cohorts; `all` among these is all events. */
                readonly breakdown?: (string | number | readonly (string | number)[]) | null;
                /** @description With the type `group`. Default: 0. */
                readonly breakdown_group_type_index?: number | null;
                /** @description Leaves out the series of all other values. */
                readonly breakdown_hide_other_aggregation?: boolean | null;
                /** @description Divides the numbers of the property into so many bins of the same width, from the least to the greatest. The value of a bin is the JSON of its bounds, `[0,10]`: from the first one on, and before the second one (the last bin includes it). */
                readonly breakdown_histogram_bin_count?: number | null;
                /** @description Values with a series of their own. Default: 25, or all bins if there are more. */
                readonly breakdown_limit?: number | null;
                /** @description Whether values lose all `/`, `?` and `#` at their end. */
                readonly breakdown_normalize_url?: boolean | null;
                readonly breakdown_type?: ("event" | "person" | "group" | "cohort" | "event_metadata") | null;
                /** @description One to three properties together, instead of `breakdown`. */
                readonly breakdowns?: readonly {
                    /** @description With the type `group`. Default: 0. */
                    readonly group_type_index?: number | null;
                    /** @description Divides the numbers of the property into so many bins of the same width, from the least to the greatest. The value of a bin is the JSON of its bounds, `[0,10]`: from the first one on, and before the second one (the last bin includes it). */
                    readonly histogram_bin_count?: number | null;
                    /** @description Whether values lose all `/`, `?` and `#` at their end. */
                    readonly normalize_url?: boolean | null;
                    readonly property: string | number;
                    readonly type?: ("event" | "person" | "group" | "cohort" | "event_metadata") | null;
                }[] | null;
            } | null;
            readonly dateRange?: {
                /** @description First day or time: an ISO 8601 date or time, a relative date such as `-7d`, `-1mStart` or `dStart`, or `all` for the first event since 2015. Default: `-7d`. */
                readonly date_from?: string | null;
                /** @description Last day or time, inclusive, in the same forms. Default: now. */
                readonly date_to?: string | null;
                /** @description True: relative dates are moments. False, the default: `-7d` is the whole day seven days ago. */
                readonly explicitDate?: boolean | null;
            } | null;
            /** @description Whether internal and test users are left out, by `test_account_filters` of the project. */
            readonly filterTestAccounts?: boolean | null;
            /** @enum {unknown} */
            readonly kind: "RetentionQuery";
            /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
            readonly properties?: unknown;
            readonly retentionFilter: {
                /** @description Whether a number counts who returned in its period or in any later one, instead of in its period. */
                readonly cumulative?: boolean | null;
                /** @description How many returning events an actor must have in a period to count as returned. Default: 1. */
                readonly minimumOccurrences?: number | null;
                /** @description Default: `Day`. */
                readonly period?: ("Hour" | "Day" | "Week" | "Month") | null;
                /** @description How clients show percentages. Changes no number. */
                readonly retentionReference?: ("total" | "previous") | null;
                /** @description The cohorts of an actor: those of all periods with a target event, that of its first target event of all times, or that of its first event of this name, if the filters match it. Default: `retention_recurring`. */
                readonly retentionType?: ("retention_recurring" | "retention_first_time" | "retention_first_ever_occurrence") | null;
                /** @description What is a return. Default: the event `$pageview`. */
                readonly returningEntity?: {
                    /** @description Name of the event; null for all events. */
                    readonly id?: string | null;
                    readonly kind?: "EventsNode" | null;
                    /** @description A name for people. */
                    readonly name?: string | null;
                    /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                    readonly properties?: unknown;
                    readonly type?: "events" | null;
                } | null;
                /** @description What puts an actor in a cohort. Default: the event `$pageview`. */
                readonly targetEntity?: {
                    /** @description Name of the event; null for all events. */
                    readonly id?: string | null;
                    readonly kind?: "EventsNode" | null;
                    /** @description A name for people. */
                    readonly name?: string | null;
                    /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                    readonly properties?: unknown;
                    readonly type?: "events" | null;
                } | null;
                /** @description How many periods; the last one contains `date_to`. `date_from` is ignored. Default: 11. */
                readonly totalIntervals?: number | null;
            };
            /** @description Ignored: all events are read. */
            readonly samplingFactor?: number | null;
        };
        /** @description A saved selection of sessions. */
        readonly SessionRecordingPlaylist: {
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            /** @description Null for a user that was removed. */
            readonly created_by: components["schemas"]["User"] | null;
            /** @description A deleted playlist is kept, but not listed. */
            readonly deleted: boolean;
            /** @description A name that follows from the filters, unless it was set. */
            readonly derived_name: string;
            readonly description: string;
            /** @description Which sessions match: `date_from`, `date_to`, `duration`, and `filter_group`, a tree of property filters and events. Other fields are kept. */
            readonly filters: {
                readonly [key: string]: unknown;
            };
            readonly id: number;
            /** @description Always false: users made all playlists. */
            readonly is_synthetic: boolean;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly last_modified_at: string;
            /** @description Null for a user that was removed. */
            readonly last_modified_by: components["schemas"]["User"] | null;
            /** @description Empty for none. */
            readonly name: string;
            readonly pinned: boolean;
            readonly recordings_counts: components["schemas"]["RecordingsCounts"];
            /** @description Identifies the playlist in paths. */
            readonly short_id: string;
            /**
             * @description `filters`: sessions that match the filters. `collection`: sessions picked one by one.
             * @enum {unknown}
             */
            readonly type: "collection" | "filters";
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
        };
        /** @description How many persons or groups did something on one day, on two days, and so on. */
        readonly StickinessQuery: {
            readonly compareFilter?: {
                /** @description Adds the same for an earlier time. */
                readonly compare?: boolean | null;
                /** @description How long before, such as `-14d`. Default: the period of the same length right before. */
                readonly compare_to?: string | null;
            } | null;
            readonly dateRange?: {
                /** @description First day or time: an ISO 8601 date or time, a relative date such as `-7d`, `-1mStart` or `dStart`, or `all` for the first event since 2015. Default: `-7d`. */
                readonly date_from?: string | null;
                /** @description Last day or time, inclusive, in the same forms. Default: now. */
                readonly date_to?: string | null;
                /** @description True: relative dates are moments. False, the default: `-7d` is the whole day seven days ago. */
                readonly explicitDate?: boolean | null;
            } | null;
            /** @description Whether internal and test users are left out, by `test_account_filters` of the project. */
            readonly filterTestAccounts?: boolean | null;
            /** @description Default: `day`. */
            readonly interval?: ("minute" | "hour" | "day" | "week" | "month") | null;
            /** @description How many hours, days and so on are one interval. Default: 1. */
            readonly intervalCount?: number | null;
            /** @enum {unknown} */
            readonly kind: "StickinessQuery";
            /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
            readonly properties?: unknown;
            /** @description Ignored: all events are read. */
            readonly samplingFactor?: number | null;
            readonly series: readonly {
                /** @description A name that people chose. */
                readonly custom_name?: string | null;
                /** @description Name of the event; null for all events. */
                readonly event?: string | null;
                /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                readonly fixedProperties?: unknown;
                readonly kind?: "EventsNode" | null;
                /** @description What is measured. Default: `total`. */
                readonly math?: string | null;
                /** @description With `unique_group`. Default: 0. */
                readonly math_group_type_index?: number | null;
                /** @description The property that is measured. */
                readonly math_property?: string | null;
                readonly math_property_type?: ("event_properties" | "person_properties") | null;
                /** @description A name for people. */
                readonly name?: string | null;
                /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                readonly properties?: unknown;
            }[];
            readonly stickinessFilter?: {
                /** @description Whether a number counts those with exactly so many intervals, or with so many or more. Default: `non_cumulative`. */
                readonly computedAs?: ("non_cumulative" | "cumulative") | null;
                /** @description How clients show it. Changes no number. */
                readonly display?: string | null;
                /** @description How many events an interval must have, so that it counts. Default: at least one. */
                readonly stickinessCriteria?: {
                    /** @enum {unknown} */
                    readonly operator: "gte" | "lte" | "exact";
                    readonly value: number;
                } | null;
            } | null;
        };
        /** @description A stored event. */
        readonly StoredEvent: {
            /**
             * Format: date-time
             * @description When the service received it.
             */
            readonly created_at: string;
            readonly distinct_id: string;
            /** @description The property `$elements_chain`; empty without one. */
            readonly elements_chain: string;
            /** @description Its name. */
            readonly event: string;
            /**
             * Format: uuid
             * @description The `uuid` of the event.
             */
            readonly id: string;
            /** @description As it is now; null for an event without a person. */
            readonly person: components["schemas"]["Person"] | null;
            /** @description As they were sent. */
            readonly properties: {
                readonly [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it happened.
             */
            readonly timestamp: string;
        };
        /** @description Questions, and where and when to ask them. */
        readonly Survey: {
            readonly appearance?: {
                readonly [key: string]: unknown;
            } | null;
            /**
             * @description An archived survey is not served.
             * @default false
             */
            readonly archived: boolean;
            readonly conditions?: {
                readonly [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            readonly created_at: string;
            readonly description?: string | null;
            readonly enable_partial_responses?: boolean | null;
            readonly end_date?: string | null;
            /**
             * Format: uuid
             * @description Id in paths and in survey events.
             */
            readonly id: string;
            /** @description Only users for whom this flag is on see it. */
            readonly internal_targeting_flag_id?: number | null;
            readonly iteration_count?: number | null;
            readonly iteration_frequency_days?: number | null;
            /** @description Only users for whom this flag is on see it. */
            readonly linked_flag_id?: number | null;
            readonly name: string;
            readonly questions: readonly ({
                /** @description Answers are stored under it. Made for a question without one. */
                readonly id?: string;
                readonly question: string;
                /** @enum {unknown} */
                readonly type: "open" | "link" | "rating" | "single_choice" | "multiple_choice";
            } & {
                readonly [key: string]: unknown;
            })[];
            readonly schedule?: ("once" | "recurring" | "always") | null;
            readonly start_date?: string | null;
            /** @description Only users for whom this flag is on see it. */
            readonly targeting_flag_id?: number | null;
            readonly translations?: {
                readonly [key: string]: unknown;
            } | null;
            /** @enum {unknown} */
            readonly type: "popover" | "api" | "widget" | "external_survey";
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            readonly updated_at: string;
            /** @description Starts at 1 and increases with each change. */
            readonly version: number;
            /** @description In the answer to a change: fields of the body that have no effect, each in a sentence; missing without one. */
            readonly warnings?: readonly string[];
        } & {
            readonly [key: string]: unknown;
        };
        /** @description How much there was of something in each hour, day, week or month. */
        readonly TrendsQuery: {
            /** @description Counts groups of this type instead of persons. */
            readonly aggregation_group_type_index?: number | null;
            readonly breakdownFilter?: {
                /** @description Name of a property, or the ids of cohorts; `all` among these is all events. */
                readonly breakdown?: (string | number | readonly (string | number)[]) | null;
                /** @description With the type `group`. Default: 0. */
                readonly breakdown_group_type_index?: number | null;
                /** @description Leaves out the series of all other values. */
                readonly breakdown_hide_other_aggregation?: boolean | null;
                /** @description Divides the numbers of the property into so many bins of the same width, from the least to the greatest. The value of a bin is the JSON of its bounds, `[0,10]`: from the first one on, and before the second one (the last bin includes it). */
                readonly breakdown_histogram_bin_count?: number | null;
                /** @description Values with a series of their own. Default: 25, or all bins if there are more. */
                readonly breakdown_limit?: number | null;
                /** @description Whether values lose all `/`, `?` and `#` at their end. */
                readonly breakdown_normalize_url?: boolean | null;
                readonly breakdown_type?: ("event" | "person" | "group" | "cohort" | "event_metadata") | null;
                /** @description One to three properties together, instead of `breakdown`. */
                readonly breakdowns?: readonly {
                    /** @description With the type `group`. Default: 0. */
                    readonly group_type_index?: number | null;
                    /** @description Divides the numbers of the property into so many bins of the same width, from the least to the greatest. The value of a bin is the JSON of its bounds, `[0,10]`: from the first one on, and before the second one (the last bin includes it). */
                    readonly histogram_bin_count?: number | null;
                    /** @description Whether values lose all `/`, `?` and `#` at their end. */
                    readonly normalize_url?: boolean | null;
                    readonly property: string | number;
                    readonly type?: ("event" | "person" | "group" | "cohort" | "event_metadata") | null;
                }[] | null;
            } | null;
            readonly compareFilter?: {
                /** @description Adds the same for an earlier time. */
                readonly compare?: boolean | null;
                /** @description How long before, such as `-14d`. Default: the period of the same length right before. */
                readonly compare_to?: string | null;
            } | null;
            readonly dateRange?: {
                /** @description First day or time: an ISO 8601 date or time, a relative date such as `-7d`, `-1mStart` or `dStart`, or `all` for the first event since 2015. Default: `-7d`. */
                readonly date_from?: string | null;
                /** @description Last day or time, inclusive, in the same forms. Default: now. */
                readonly date_to?: string | null;
                /** @description True: relative dates are moments. False, the default: `-7d` is the whole day seven days ago. */
                readonly explicitDate?: boolean | null;
            } | null;
            /** @description Whether internal and test users are left out, by `test_account_filters` of the project. */
            readonly filterTestAccounts?: boolean | null;
            /** @description Default: `day`. */
            readonly interval?: ("minute" | "hour" | "day" | "week" | "month") | null;
            /** @enum {unknown} */
            readonly kind: "TrendsQuery";
            /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
            readonly properties?: unknown;
            /** @description Ignored: all events are read. */
            readonly samplingFactor?: number | null;
            readonly series: readonly {
                /** @description A name that people chose. */
                readonly custom_name?: string | null;
                /** @description Name of the event; null for all events. */
                readonly event?: string | null;
                /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                readonly fixedProperties?: unknown;
                readonly kind?: "EventsNode" | null;
                /** @description What is measured. Default: `total`. */
                readonly math?: string | null;
                /** @description With `unique_group`. Default: 0. */
                readonly math_group_type_index?: number | null;
                /** @description The property that is measured. */
                readonly math_property?: string | null;
                readonly math_property_type?: ("event_properties" | "person_properties") | null;
                /** @description A name for people. */
                readonly name?: string | null;
                /** @description Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is `{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, group or cohort. `negation: true` inverts its result. */
                readonly properties?: unknown;
            }[];
            readonly trendsFilter?: {
                /** @description Default: `ActionsLineGraph`. */
                readonly display?: ("ActionsLineGraph" | "ActionsLineGraphCumulative" | "ActionsAreaGraph" | "ActionsBar" | "ActionsUnstackedBar" | "ActionsStackedBar" | "ActionsBarValue" | "ActionsPie" | "ActionsTable" | "BoldNumber" | "WorldMap") | null;
                /** @description Numbers, the letters of the series from A, `+ - * / ( )`: `A / B * 100`. */
                readonly formula?: string | null;
                /** @description Formulas with names, instead of `formula` and `formulas`. */
                readonly formulaNodes?: readonly {
                    readonly custom_name?: string | null;
                    readonly formula: string;
                }[] | null;
                /** @description Several formulas. */
                readonly formulas?: readonly string[] | null;
                /** @description Each number becomes the average of so many: its own and those before it. Default: 1. */
                readonly smoothingIntervals?: number | null;
            } | null;
        };
        /** @description A person who works with the service. */
        readonly User: {
            /** @description Under which events of the user can be captured. */
            readonly distinct_id: string;
            /**
             * Format: email
             * @description Unique.
             */
            readonly email: string;
            readonly first_name: string;
            /** @description Settings of the user interface of the protocol; kept as they are. At most 4096 bytes of JSON. */
            readonly hedgehog_config: {
                readonly [key: string]: unknown;
            };
            readonly id: number;
            /** @description Whether the user was seen to own the address. */
            readonly is_email_verified: boolean;
            readonly last_name: string;
            /**
             * @description What the user does; empty when unknown.
             * @enum {unknown}
             */
            readonly role_at_organization: "engineering" | "data" | "product" | "founder" | "leadership" | "marketing" | "sales" | "other" | "";
            /**
             * Format: uuid
             * @description Id in paths.
             */
            readonly uuid: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Account = components['schemas']['Account'];
export type ActorsQuery = components['schemas']['ActorsQuery'];
export type Cohort = components['schemas']['Cohort'];
export type Dashboard = components['schemas']['Dashboard'];
export type DashboardSummary = components['schemas']['DashboardSummary'];
export type EarlyAccessFeature = components['schemas']['EarlyAccessFeature'];
export type Error = components['schemas']['Error'];
export type EventDefinition = components['schemas']['EventDefinition'];
export type EventsQuery = components['schemas']['EventsQuery'];
export type ExplicitMember = components['schemas']['ExplicitMember'];
export type ExportedAsset = components['schemas']['ExportedAsset'];
export type FeatureFlag = components['schemas']['FeatureFlag'];
export type FlagCondition = components['schemas']['FlagCondition'];
export type FunnelsActorsQuery = components['schemas']['FunnelsActorsQuery'];
export type FunnelsQuery = components['schemas']['FunnelsQuery'];
export type Group = components['schemas']['Group'];
export type GroupType = components['schemas']['GroupType'];
export type Insight = components['schemas']['Insight'];
export type InsightActorsQuery = components['schemas']['InsightActorsQuery'];
export type InsightResponse = components['schemas']['InsightResponse'];
export type InsightResult = components['schemas']['InsightResult'];
export type LifecycleQuery = components['schemas']['LifecycleQuery'];
export type OfferedFeatures = components['schemas']['OfferedFeatures'];
export type Organization = components['schemas']['Organization'];
export type OrganizationMember = components['schemas']['OrganizationMember'];
export type PathsQuery = components['schemas']['PathsQuery'];
export type Person = components['schemas']['Person'];
export type PersonalApiKey = components['schemas']['PersonalAPIKey'];
export type Project = components['schemas']['Project'];
export type PropertyDefinition = components['schemas']['PropertyDefinition'];
export type PublicSurveys = components['schemas']['PublicSurveys'];
export type QueryResponse = components['schemas']['QueryResponse'];
export type QueryResult = components['schemas']['QueryResult'];
export type QueryStatus = components['schemas']['QueryStatus'];
export type QueryStatusResponse = components['schemas']['QueryStatusResponse'];
export type RecordingsCounts = components['schemas']['RecordingsCounts'];
export type RetentionQuery = components['schemas']['RetentionQuery'];
export type SessionRecordingPlaylist = components['schemas']['SessionRecordingPlaylist'];
export type StickinessQuery = components['schemas']['StickinessQuery'];
export type StoredEvent = components['schemas']['StoredEvent'];
export type Survey = components['schemas']['Survey'];
export type TrendsQuery = components['schemas']['TrendsQuery'];
export type User = components['schemas']['User'];
export interface operations {
    readonly early_access_features_public_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Older name of `token`. */
                readonly api_key?: string;
                /** @description Only this stage; can be repeated. */
                readonly stage?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The features in which people can enrol. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OfferedFeatures"];
                };
            };
        };
    };
    readonly projects_of_environments_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Project"][];
                    };
                };
            };
        };
    };
    readonly projects_of_environments_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Whether the project is closed to members of the organisation who are not explicit members. Administrators and owners of the organisation see it nevertheless.
                     * @default false
                     */
                    readonly is_private?: boolean;
                    readonly name: string;
                    /**
                     * Format: uuid
                     * @description Id of the organisation; default: that of the key.
                     */
                    readonly organization?: string;
                };
            };
        };
        readonly responses: {
            /** @description The project. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    readonly project_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The project. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    readonly project_partial_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Whether the project is closed to members of the organisation who are not explicit members. Administrators and owners of the organisation see it nevertheless.
                     * @default false
                     */
                    readonly is_private?: boolean;
                    readonly name?: string;
                    /** @description What events must match in queries with `filterTestAccounts`, so that internal and test users are left out. */
                    readonly test_account_filters?: readonly {
                        readonly [key: string]: unknown;
                    }[];
                    /**
                     * @description The time zone in which insights count days, by its name in the IANA database.
                     * @default UTC
                     */
                    readonly timezone?: string;
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                    /** @description First day of a week: 0 or null for Sunday, 1 for Monday. */
                    readonly week_start_day?: (0 | 1) | null;
                };
            };
        };
        readonly responses: {
            /** @description The project. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    readonly cohorts_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Cohort"][];
                    };
                };
            };
        };
    };
    readonly cohorts_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly deleted?: boolean | null;
                    readonly description?: string | null;
                    readonly filters: {
                        /** @description A tree of `{type: "AND" | "OR", values}`; its leaves are conditions. `{}` is everybody. */
                        readonly properties: {
                            readonly [key: string]: unknown;
                        };
                    } & {
                        readonly [key: string]: unknown;
                    };
                    readonly name: string;
                } & {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly responses: {
            /** @description The cohort. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Cohort"];
                };
            };
        };
    };
    readonly cohorts_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the cohort. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The cohort. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Cohort"];
                };
            };
        };
    };
    readonly cohorts_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the cohort. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly cohorts_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the cohort. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly deleted?: boolean | null;
                    readonly description?: string | null;
                    readonly filters?: {
                        /** @description A tree of `{type: "AND" | "OR", values}`; its leaves are conditions. `{}` is everybody. */
                        readonly properties: {
                            readonly [key: string]: unknown;
                        };
                    } & {
                        readonly [key: string]: unknown;
                    };
                    readonly name?: string;
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                } & {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly responses: {
            /** @description The cohort. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Cohort"];
                };
            };
        };
    };
    readonly dashboards_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                readonly pinned?: boolean;
                /** @description Part of the name or the description; letters A to Z in any case. */
                readonly search?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["DashboardSummary"][];
                    };
                };
            };
        };
    };
    readonly dashboards_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description True deletes the dashboard, false restores it. */
                    readonly deleted?: boolean;
                    readonly description?: string | null;
                    readonly filters?: {
                        readonly [key: string]: unknown;
                    } | null;
                    readonly name?: string | null;
                    readonly pinned?: boolean;
                    readonly tags?: readonly string[];
                    /** @description Tiles to add or to change; the others stay as they are. */
                    readonly tiles?: readonly {
                        readonly color?: string | null;
                        readonly deleted?: boolean | null;
                        /** @description A tile of this dashboard. Missing: a new one. */
                        readonly id?: number | null;
                        /** @description Id of the insight of a new tile, or the insight itself. */
                        readonly insight?: (number | {
                            readonly id: number;
                        }) | null;
                        /** @description Where the tile is on screens of each size (`sm`, `xs`); kept as it is. */
                        readonly layouts?: {
                            readonly [key: string]: unknown;
                        };
                        readonly order?: number | null;
                        /** @description The text of a tile without an insight. */
                        readonly text?: {
                            readonly body: string;
                        } | null;
                    }[];
                    /** @description Id of a dashboard whose tiles the new one gets. Only when it is created. */
                    readonly use_dashboard?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The dashboard. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    readonly dashboards_retrieve: {
        readonly parameters: {
            readonly query?: {
                /** @description `force_cache`, or `false`: the answer that was computed last, or null. `blocking`, or `true`: computes it unless the last one holds. `force_blocking`: computes it. `async`, `lazy_async`, `force_async`: the same as a job, whose status is in `query_status`. */
                readonly refresh?: "async" | "lazy_async" | "force_async" | "blocking" | "force_blocking" | "force_cache" | "async_except_on_cache_miss" | "true" | "false";
            };
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the dashboard. */
                readonly id: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The dashboard. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    readonly dashboards_partial_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the dashboard. */
                readonly id: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description True deletes the dashboard, false restores it. */
                    readonly deleted?: boolean;
                    readonly description?: string | null;
                    readonly filters?: {
                        readonly [key: string]: unknown;
                    } | null;
                    readonly name?: string | null;
                    readonly pinned?: boolean;
                    readonly tags?: readonly string[];
                    /** @description Tiles to add or to change; the others stay as they are. */
                    readonly tiles?: readonly {
                        readonly color?: string | null;
                        readonly deleted?: boolean | null;
                        /** @description A tile of this dashboard. Missing: a new one. */
                        readonly id?: number | null;
                        /** @description Id of the insight of a new tile, or the insight itself. */
                        readonly insight?: (number | {
                            readonly id: number;
                        }) | null;
                        /** @description Where the tile is on screens of each size (`sm`, `xs`); kept as it is. */
                        readonly layouts?: {
                            readonly [key: string]: unknown;
                        };
                        readonly order?: number | null;
                        /** @description The text of a tile without an insight. */
                        readonly text?: {
                            readonly body: string;
                        } | null;
                    }[];
                    /** @description Id of a dashboard whose tiles the new one gets. Only when it is created. */
                    readonly use_dashboard?: number | null;
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The dashboard. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    readonly early_access_feature_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["EarlyAccessFeature"][];
                    };
                };
            };
        };
    };
    readonly early_access_feature_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly description?: string;
                    /** @description A URL, or an empty string. */
                    readonly documentation_url?: string;
                    /** @description The flag in which people enrol; without one, a new flag is created. It cannot be changed. */
                    readonly feature_flag_id?: number | null;
                    readonly name: string;
                    /** @description Anything that pages need to show the feature. */
                    readonly payload?: {
                        readonly [key: string]: unknown;
                    };
                    /**
                     * @description Pages do not see drafts and archived features.
                     * @enum {unknown}
                     */
                    readonly stage?: "draft" | "concept" | "alpha" | "beta" | "general-availability" | "archived";
                };
            };
        };
        readonly responses: {
            /** @description The early access feature. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EarlyAccessFeature"];
                };
            };
        };
    };
    readonly early_access_feature_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the feature. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The early access feature. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EarlyAccessFeature"];
                };
            };
        };
    };
    readonly early_access_feature_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the feature. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly early_access_feature_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the feature. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly description?: string;
                    /** @description A URL, or an empty string. */
                    readonly documentation_url?: string;
                    /** @description The flag in which people enrol; without one, a new flag is created. It cannot be changed. */
                    readonly feature_flag_id?: number | null;
                    readonly name?: string;
                    /** @description Anything that pages need to show the feature. */
                    readonly payload?: {
                        readonly [key: string]: unknown;
                    };
                    /**
                     * @description Pages do not see drafts and archived features.
                     * @enum {unknown}
                     */
                    readonly stage?: "draft" | "concept" | "alpha" | "beta" | "general-availability" | "archived";
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The early access feature. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EarlyAccessFeature"];
                };
            };
        };
    };
    readonly event_definitions_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                /** @description Part of the name, in any case. */
                readonly search?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["EventDefinition"][];
                    };
                };
            };
        };
    };
    readonly events_list: {
        readonly parameters: {
            readonly query?: {
                /** @description First time: an ISO 8601 date or time, or a relative date such as `-24h`. Default: all. */
                readonly after?: string;
                /** @description The time before which they are, in the same forms. Default: in five seconds. */
                readonly before?: string;
                readonly distinct_id?: string;
                /** @description Name of the events. */
                readonly event?: string;
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                /** @description The `id` of their person. */
                readonly person_id?: string;
                /** @description Property filters as JSON, as a query has them in `properties`. */
                readonly properties?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page; null where pages are only read forwards. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["StoredEvent"][];
                    };
                };
            };
        };
    };
    readonly events_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the event. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The event. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StoredEvent"];
                };
            };
        };
    };
    readonly explicit_members_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All members, not in pages. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["ExplicitMember"][];
                };
            };
        };
    };
    readonly explicit_members_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description The level in the project. 1 member, 8 administrator.
                     * @default 1
                     */
                    readonly level?: 1 | 8;
                    /**
                     * Format: uuid
                     * @description The user. It cannot be changed.
                     */
                    readonly user_uuid: string;
                };
            };
        };
        readonly responses: {
            /** @description The member. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExplicitMember"];
                };
            };
        };
    };
    readonly explicit_members_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description UUID of the user, or `@me`. */
                readonly parent_membership__user__uuid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The member. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExplicitMember"];
                };
            };
        };
    };
    readonly explicit_members_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description UUID of the user, or `@me`. */
                readonly parent_membership__user__uuid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly explicit_members_partial_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description UUID of the user, or `@me`. */
                readonly parent_membership__user__uuid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description The level in the project. 1 member, 8 administrator.
                     * @default 1
                     */
                    readonly level?: 1 | 8;
                    /**
                     * Format: uuid
                     * @description The user. It cannot be changed.
                     */
                    readonly user_uuid?: string;
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The member. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExplicitMember"];
                };
            };
        };
    };
    readonly exports_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["ExportedAsset"][];
                    };
                };
            };
        };
    };
    readonly exports_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Id of the dashboard that is exported. */
                    readonly dashboard?: number | null;
                    readonly expires_after?: string | null;
                    readonly export_context?: {
                        readonly body?: {
                            readonly [key: string]: unknown;
                        } | null;
                        readonly bom?: boolean | null;
                        readonly filename?: string | null;
                        readonly height?: number | null;
                        readonly method?: string | null;
                        readonly path?: string | null;
                        readonly raw?: boolean | null;
                        readonly scale?: number | null;
                        readonly source?: {
                            readonly [key: string]: unknown;
                        } | null;
                        readonly theme?: ("light" | "dark") | null;
                        readonly width?: number | null;
                    } | null;
                    /**
                     * @description Media type.
                     * @enum {unknown}
                     */
                    readonly export_format: "image/png" | "image/svg+xml" | "text/csv" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "application/x-ndjson" | "application/json";
                    /** @description Id of the insight that is exported. */
                    readonly insight?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The export. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExportedAsset"];
                };
            };
        };
    };
    readonly exports_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the export. */
                readonly id: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The export. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExportedAsset"];
                };
            };
        };
    };
    readonly exports_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the export. */
                readonly id: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly exports_content_retrieve: {
        readonly parameters: {
            readonly query?: {
                /** @description Whether a browser saves a picture instead of showing it. */
                readonly download?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the export. */
                readonly id: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    /** @description Has the file name (RFC 6266). */
                    readonly "content-disposition"?: string;
                    /** @description For `If-Range`, so that two contents are not joined. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly unknown[];
                    readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    readonly "application/x-ndjson": string;
                    readonly "image/png": string;
                    readonly "image/svg+xml": string;
                    readonly "text/csv": string;
                };
            };
            /** @description The bytes that the header `Range` asks for: one range of them. */
            readonly 206: {
                headers: {
                    /** @description Has the file name (RFC 6266). */
                    readonly "content-disposition"?: string;
                    /** @description The bytes, and how many the file has. */
                    readonly "content-range"?: string;
                    /** @description For `If-Range`, so that two contents are not joined. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly unknown[];
                    readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    readonly "application/x-ndjson": string;
                    readonly "image/png": string;
                    readonly "image/svg+xml": string;
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly feature_flags_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Only flags that are active, or only those that are not. */
                readonly active?: boolean;
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                /** @description Part of the key or the name, in any case. */
                readonly search?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["FeatureFlag"][];
                    };
                };
            };
        };
    };
    readonly feature_flags_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description An inactive flag is off for everyone.
                     * @default true
                     */
                    readonly active?: boolean;
                    readonly bucketing_identifier?: ("distinct_id" | "device_id") | null;
                    readonly deleted?: boolean | null;
                    /** @description Hash by the id before `identify`, so that a user keeps the same value. */
                    readonly ensure_experience_continuity?: boolean | null;
                    readonly evaluation_contexts?: readonly string[] | null;
                    readonly evaluation_runtime?: ("all" | "client" | "server") | null;
                    /** @description Who gets the flag, and which value. */
                    readonly filters: {
                        /** @description The flag applies to groups of this type. */
                        readonly aggregation_group_type_index?: number | null;
                        /** @description The first group that matches decides. */
                        readonly groups: readonly ({
                            readonly aggregation_group_type_index?: number | null;
                            readonly properties?: readonly components["schemas"]["FlagCondition"][] | null;
                            readonly rollout_percentage?: number | null;
                            /** @description Gives this variant to every match. */
                            readonly variant?: string | null;
                        } & {
                            readonly [key: string]: unknown;
                        })[];
                        readonly multivariate?: ({
                            readonly variants: readonly ({
                                readonly key: string;
                                readonly name?: string | null;
                                /** @description All variants together have 100. */
                                readonly rollout_percentage: number;
                            } & {
                                readonly [key: string]: unknown;
                            })[];
                        } & {
                            readonly [key: string]: unknown;
                        }) | null;
                        /** @description Variant key, or `true`, to a JSON value or a string that holds one. */
                        readonly payloads?: {
                            readonly [key: string]: unknown;
                        } | null;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** @description Unique in the project. */
                    readonly key: string;
                    readonly name?: string | null;
                } & {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly responses: {
            /** @description The feature flag. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FeatureFlag"];
                };
            };
        };
    };
    readonly feature_flags_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or key of the flag. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The feature flag. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FeatureFlag"];
                };
            };
        };
    };
    readonly feature_flags_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or key of the flag. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly feature_flags_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or key of the flag. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description An inactive flag is off for everyone.
                     * @default true
                     */
                    readonly active?: boolean;
                    readonly bucketing_identifier?: ("distinct_id" | "device_id") | null;
                    readonly deleted?: boolean | null;
                    /** @description Hash by the id before `identify`, so that a user keeps the same value. */
                    readonly ensure_experience_continuity?: boolean | null;
                    readonly evaluation_contexts?: readonly string[] | null;
                    readonly evaluation_runtime?: ("all" | "client" | "server") | null;
                    /** @description Who gets the flag, and which value. */
                    readonly filters?: {
                        /** @description The flag applies to groups of this type. */
                        readonly aggregation_group_type_index?: number | null;
                        /** @description The first group that matches decides. */
                        readonly groups: readonly ({
                            readonly aggregation_group_type_index?: number | null;
                            readonly properties?: readonly components["schemas"]["FlagCondition"][] | null;
                            readonly rollout_percentage?: number | null;
                            /** @description Gives this variant to every match. */
                            readonly variant?: string | null;
                        } & {
                            readonly [key: string]: unknown;
                        })[];
                        readonly multivariate?: ({
                            readonly variants: readonly ({
                                readonly key: string;
                                readonly name?: string | null;
                                /** @description All variants together have 100. */
                                readonly rollout_percentage: number;
                            } & {
                                readonly [key: string]: unknown;
                            })[];
                        } & {
                            readonly [key: string]: unknown;
                        }) | null;
                        /** @description Variant key, or `true`, to a JSON value or a string that holds one. */
                        readonly payloads?: {
                            readonly [key: string]: unknown;
                        } | null;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** @description Unique in the project. */
                    readonly key?: string;
                    readonly name?: string | null;
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                } & {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly responses: {
            /** @description The feature flag. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FeatureFlag"];
                };
            };
        };
    };
    readonly feature_flags_remote_config_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id or key of the flag. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The payload; null without one. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
        };
    };
    readonly groups_types_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["GroupType"][];
                    };
                };
            };
        };
    };
    readonly groups_types_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly group_type: string;
                };
            };
        };
        readonly responses: {
            /** @description The group type. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GroupType"];
                };
            };
        };
    };
    readonly groups_types_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Index of the group type. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The group type. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GroupType"];
                };
            };
        };
    };
    readonly groups_types_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Index of the group type. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly groups_list: {
        readonly parameters: {
            readonly query: {
                /** @description Index of a group type of the project. */
                readonly group_type_index: number;
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                /** @description Part of the key, or of the property `email` or `name`, in any case. */
                readonly search?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page; null where pages are only read forwards. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Group"][];
                    };
                };
            };
        };
    };
    readonly groups_find_retrieve: {
        readonly parameters: {
            readonly query: {
                readonly group_key: string;
                /** @description Index of a group type of the project. */
                readonly group_type_index: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The group. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Group"];
                };
            };
        };
    };
    readonly insights_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Id of the user who created them. */
                readonly created_by?: number;
                /** @description Id of a dashboard that shows them. */
                readonly dashboard?: number;
                readonly favorited?: boolean;
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                /** @description A minus sign means the highest first. */
                readonly order?: "last_modified_at" | "-last_modified_at" | "created_at" | "-created_at" | "name" | "-name" | "id" | "-id";
                /** @description `force_cache`, or `false`: the answer that was computed last, or null. `blocking`, or `true`: computes it unless the last one holds. `force_blocking`: computes it. `async`, `lazy_async`, `force_async`: the same as a job, whose status is in `query_status`. */
                readonly refresh?: "async" | "lazy_async" | "force_async" | "blocking" | "force_blocking" | "force_cache" | "async_except_on_cache_miss" | "true" | "false";
                /** @description Part of the name or the description; letters A to Z in any case. */
                readonly search?: string;
                readonly short_id?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Insight"][];
                    };
                };
            };
        };
    };
    readonly insights_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Ids of the dashboards that show it. */
                    readonly dashboards?: readonly number[];
                    /** @description True deletes the insight, false restores it. */
                    readonly deleted?: boolean;
                    /** @description A name that follows from the query, unless it was set. */
                    readonly derived_name?: string | null;
                    readonly description?: string | null;
                    readonly favorited?: boolean;
                    readonly name?: string | null;
                    readonly order?: number | null;
                    /** @description Null for an insight that asks nothing yet. */
                    readonly query?: {
                        readonly [key: string]: unknown;
                    } | null;
                    readonly tags?: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description The insight. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Insight"];
                };
            };
        };
    };
    readonly insights_retrieve: {
        readonly parameters: {
            readonly query?: {
                /** @description `force_cache`, or `false`: the answer that was computed last, or null. `blocking`, or `true`: computes it unless the last one holds. `force_blocking`: computes it. `async`, `lazy_async`, `force_async`: the same as a job, whose status is in `query_status`. */
                readonly refresh?: "async" | "lazy_async" | "force_async" | "blocking" | "force_blocking" | "force_cache" | "async_except_on_cache_miss" | "true" | "false";
            };
            readonly header?: never;
            readonly path: {
                /** @description The `id` or the `short_id` of the insight. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The insight. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Insight"];
                };
            };
        };
    };
    readonly insights_partial_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `id` or the `short_id` of the insight. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Ids of the dashboards that show it. */
                    readonly dashboards?: readonly number[];
                    /** @description True deletes the insight, false restores it. */
                    readonly deleted?: boolean;
                    /** @description A name that follows from the query, unless it was set. */
                    readonly derived_name?: string | null;
                    readonly description?: string | null;
                    readonly favorited?: boolean;
                    readonly name?: string | null;
                    readonly order?: number | null;
                    /** @description Null for an insight that asks nothing yet. */
                    readonly query?: {
                        readonly [key: string]: unknown;
                    } | null;
                    readonly tags?: readonly string[];
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The insight. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Insight"];
                };
            };
        };
    };
    readonly persons_list: {
        readonly parameters: {
            readonly query?: {
                /** @description A distinct id of the person. */
                readonly distinct_id?: string;
                /** @description The property `email`, in any case. */
                readonly email?: string;
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                /** @description Filters of the types person and cohort, as JSON. */
                readonly properties?: string;
                /** @description Part of the id, of a distinct id, or of the property `email` or `name`, in any case. */
                readonly search?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page; null where pages are only read forwards. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Person"][];
                    };
                };
            };
        };
    };
    readonly persons_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the person. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The person. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Person"];
                };
            };
        };
    };
    readonly property_definitions_list: {
        readonly parameters: {
            readonly query?: {
                /** @description With the type `group`. */
                readonly group_type_index?: number;
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                /** @description Part of the name, in any case. */
                readonly search?: string;
                readonly type?: "event" | "person" | "group";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["PropertyDefinition"][];
                    };
                };
            };
        };
    };
    readonly query_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description True starts a job, as `refresh: "async"` does. */
                    readonly async?: boolean | null;
                    /** @description An id for the query, so that it can be cancelled before it is answered. A request for a job may be repeated with it: the job of the first request is answered. */
                    readonly client_query_id?: string | null;
                    /** @description Dates of an insight instead of its own, and further filters, as a dashboard has them. */
                    readonly filters_override?: {
                        readonly date_from?: string | null;
                        readonly date_to?: string | null;
                        /** @description Property filters that must match, too. */
                        readonly properties?: unknown;
                    } | null;
                    /** @description A name for people, shown in `labels`. */
                    readonly name?: string | null;
                    readonly query: string | {
                        /** @enum {unknown} */
                        readonly kind: "SQLQuery" | "HogQLQuery";
                        /** @description SQL. */
                        readonly query: string;
                        /** @description Strings, numbers, booleans, null, and lists of one of these types, which stand for their names in braces: `WHERE event = {name}`. */
                        readonly values?: {
                            readonly [key: string]: unknown;
                        } | null;
                    } | components["schemas"]["TrendsQuery"] | components["schemas"]["FunnelsQuery"] | components["schemas"]["RetentionQuery"] | components["schemas"]["StickinessQuery"] | components["schemas"]["LifecycleQuery"] | components["schemas"]["PathsQuery"] | components["schemas"]["ActorsQuery"] | components["schemas"]["EventsQuery"];
                    /** @description `async`, `lazy_async` and `force_async` start a job; its status is answered at once. But an insight is answered at once if `async` finds an answer that was computed within ten seconds, or `lazy_async` one within an hour, whatever has arrived since. The others wait for the result. The answer to an insight may be one that was computed before, as long as no event has arrived in its range of time; `force_blocking` and `force_async` compute it anew. SQL always runs. */
                    readonly refresh?: ("async" | "lazy_async" | "force_async" | "blocking" | "force_blocking" | "force_cache" | "async_except_on_cache_miss") | boolean | null;
                };
            };
        };
        readonly responses: {
            /** @description The rows, in the form that the header `Accept` asks for. */
            readonly 200: {
                headers: {
                    /** @description `true` if there are more rows, in the forms that cannot say it. */
                    readonly "waymark-has-more"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["QueryResponse"] | components["schemas"]["InsightResponse"] | components["schemas"]["InsightResult"];
                    readonly "application/x-ndjson": string;
                    readonly "text/csv": string;
                };
            };
            /** @description The status of the job. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["QueryStatusResponse"];
                };
            };
        };
    };
    readonly query_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the query. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The status. A query that failed has its error in it. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["QueryStatusResponse"];
                };
            };
        };
    };
    readonly query_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `id` of the query. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The query has ended, or was cancelled. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly query_check_auth_for_async_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It may. There is no body. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly query_draft_sql_retrieve: {
        readonly parameters: {
            readonly query?: {
                /** @description The same, under the name that other clients use. */
                readonly prompt?: string;
                /** @description Such as `How many persons did "bought" per week in the last 90 days by plan?`. */
                readonly question?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The draft. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description What it returns, and which names of the question were corrected. */
                        readonly explanation: string;
                        /** @description One SELECT; empty without a question. */
                        readonly sql: string;
                    };
                };
            };
        };
    };
    readonly session_recording_playlists_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Id of the user who created them. */
                readonly created_by?: number;
                /** @description Last modified since then: an ISO 8601 date or time, or a relative date such as `-7d`. */
                readonly date_from?: string;
                /** @description Last modified until then. */
                readonly date_to?: string;
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
                /** @description A minus sign means the highest first. */
                readonly order?: "last_modified_at" | "-last_modified_at" | "created_at" | "-created_at" | "name" | "-name" | "id" | "-id";
                readonly pinned?: boolean;
                /** @description Part of the name or the description; letters A to Z in any case. */
                readonly search?: string;
                readonly short_id?: string;
                readonly type?: "collection" | "filters";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["SessionRecordingPlaylist"][];
                    };
                };
            };
        };
    };
    readonly session_recording_playlists_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description True deletes the playlist, false restores it.
                     * @default false
                     */
                    readonly deleted?: boolean;
                    readonly derived_name?: string | null;
                    readonly description?: string | null;
                    readonly filters?: {
                        readonly [key: string]: unknown;
                    } | null;
                    readonly name?: string | null;
                    /** @default false */
                    readonly pinned?: boolean;
                    readonly type?: ("collection" | "filters") | null;
                };
            };
        };
        readonly responses: {
            /** @description The playlist. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionRecordingPlaylist"];
                };
            };
        };
    };
    readonly session_recording_playlists_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `short_id` of the playlist. */
                readonly short_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The playlist. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionRecordingPlaylist"];
                };
            };
        };
    };
    readonly session_recording_playlists_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The `short_id` of the playlist. */
                readonly short_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description True deletes the playlist, false restores it.
                     * @default false
                     */
                    readonly deleted?: boolean;
                    readonly derived_name?: string | null;
                    readonly description?: string | null;
                    readonly filters?: {
                        readonly [key: string]: unknown;
                    } | null;
                    readonly name?: string | null;
                    /** @default false */
                    readonly pinned?: boolean;
                    readonly type?: ("collection" | "filters") | null;
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The playlist. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionRecordingPlaylist"];
                };
            };
        };
    };
    readonly surveys_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Survey"][];
                    };
                };
            };
        };
    };
    readonly surveys_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly appearance?: {
                        readonly [key: string]: unknown;
                    } | null;
                    /**
                     * @description An archived survey is not served.
                     * @default false
                     */
                    readonly archived?: boolean;
                    readonly conditions?: {
                        readonly [key: string]: unknown;
                    } | null;
                    readonly description?: string | null;
                    readonly enable_partial_responses?: boolean | null;
                    /** @description When pages stop to show it. */
                    readonly end_date?: string | null;
                    /** @description Only users for whom this flag is on see it. */
                    readonly internal_targeting_flag_id?: number | null;
                    readonly iteration_count?: number | null;
                    readonly iteration_frequency_days?: number | null;
                    /** @description Only users for whom this flag is on see it. */
                    readonly linked_flag_id?: number | null;
                    readonly name: string;
                    readonly questions: readonly ({
                        /** @description Answers are stored under it. Made for a question without one. */
                        readonly id?: string;
                        readonly question: string;
                        /** @enum {unknown} */
                        readonly type: "open" | "link" | "rating" | "single_choice" | "multiple_choice";
                    } & {
                        readonly [key: string]: unknown;
                    })[];
                    readonly schedule?: ("once" | "recurring" | "always") | null;
                    /** @description When pages begin to show it. A survey without one is a draft. */
                    readonly start_date?: string | null;
                    /** @description Only users for whom this flag is on see it. */
                    readonly targeting_flag_id?: number | null;
                    readonly translations?: {
                        readonly [key: string]: unknown;
                    } | null;
                    /** @enum {unknown} */
                    readonly type: "popover" | "api" | "widget" | "external_survey";
                } & {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly responses: {
            /** @description The survey. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Survey"];
                };
            };
        };
    };
    readonly surveys_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the survey. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The survey. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Survey"];
                };
            };
        };
    };
    readonly surveys_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the survey. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly surveys_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the survey. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly appearance?: {
                        readonly [key: string]: unknown;
                    } | null;
                    /**
                     * @description An archived survey is not served.
                     * @default false
                     */
                    readonly archived?: boolean;
                    readonly conditions?: {
                        readonly [key: string]: unknown;
                    } | null;
                    readonly description?: string | null;
                    readonly enable_partial_responses?: boolean | null;
                    /** @description When pages stop to show it. */
                    readonly end_date?: string | null;
                    /** @description Only users for whom this flag is on see it. */
                    readonly internal_targeting_flag_id?: number | null;
                    readonly iteration_count?: number | null;
                    readonly iteration_frequency_days?: number | null;
                    /** @description Only users for whom this flag is on see it. */
                    readonly linked_flag_id?: number | null;
                    readonly name?: string;
                    readonly questions?: readonly ({
                        /** @description Answers are stored under it. Made for a question without one. */
                        readonly id?: string;
                        readonly question: string;
                        /** @enum {unknown} */
                        readonly type: "open" | "link" | "rating" | "single_choice" | "multiple_choice";
                    } & {
                        readonly [key: string]: unknown;
                    })[];
                    readonly schedule?: ("once" | "recurring" | "always") | null;
                    /** @description When pages begin to show it. A survey without one is a draft. */
                    readonly start_date?: string | null;
                    /** @description Only users for whom this flag is on see it. */
                    readonly targeting_flag_id?: number | null;
                    readonly translations?: {
                        readonly [key: string]: unknown;
                    } | null;
                    /** @enum {unknown} */
                    readonly type?: "popover" | "api" | "widget" | "external_survey";
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                } & {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly responses: {
            /** @description The survey. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Survey"];
                };
            };
        };
    };
    readonly feature_flag_local_evaluation_retrieve: {
        readonly parameters: {
            readonly query?: {
                /** @description Adds the conditions of cohorts. */
                readonly send_cohorts?: string;
                /** @description The project API key. Default: the project that `@current` is in paths, which is the first project that the personal API key is limited to, or the oldest one that it may see. */
                readonly token?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Default Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Cohort id to its conditions. */
                        readonly cohorts: {
                            readonly [key: string]: unknown;
                        };
                        readonly flags: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        /** @description Group type index to group type. */
                        readonly group_type_mapping: {
                            readonly [key: string]: string;
                        };
                        readonly minimal_flag_called_events?: boolean;
                        readonly property_matching_version?: number;
                    };
                };
            };
        };
    };
    readonly organizations_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Organization"][];
                    };
                };
            };
        };
    };
    readonly organizations_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the organisation, or `@current`: that of the first project that the key is limited to, or the first organisation that it is limited to; for a key without such limits, the organisation of which its user has been a member for the longest time. */
                readonly organization_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The organisation. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    readonly organizations_partial_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the organisation, or `@current`: that of the first project that the key is limited to, or the first organisation that it is limited to; for a key without such limits, the organisation of which its user has been a member for the longest time. */
                readonly organization_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name?: string;
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The organisation. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    readonly organization_members_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Id of the organisation, or `@current`: that of the first project that the key is limited to, or the first organisation that it is limited to; for a key without such limits, the organisation of which its user has been a member for the longest time. */
                readonly organization_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["OrganizationMember"][];
                    };
                };
            };
        };
    };
    readonly organization_members_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the organisation, or `@current`: that of the first project that the key is limited to, or the first organisation that it is limited to; for a key without such limits, the organisation of which its user has been a member for the longest time. */
                readonly organization_id: string;
                /** @description UUID of the user, or `@me`. */
                readonly user__uuid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The member. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrganizationMember"];
                };
            };
        };
    };
    readonly organization_members_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the organisation, or `@current`: that of the first project that the key is limited to, or the first organisation that it is limited to; for a key without such limits, the organisation of which its user has been a member for the longest time. */
                readonly organization_id: string;
                /** @description UUID of the user, or `@me`. */
                readonly user__uuid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly organization_members_partial_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the organisation, or `@current`: that of the first project that the key is limited to, or the first organisation that it is limited to; for a key without such limits, the organisation of which its user has been a member for the longest time. */
                readonly organization_id: string;
                /** @description UUID of the user, or `@me`. */
                readonly user__uuid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The new level. 1 member, 8 administrator, 15 owner. */
                    readonly level?: 1 | 8 | 15;
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The member. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrganizationMember"];
                };
            };
        };
    };
    readonly personal_api_keys_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All keys, not in pages. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["PersonalAPIKey"][];
                };
            };
        };
    };
    readonly personal_api_keys_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Time after which the key is refused; null for a key that does not expire. */
                    readonly expires_at?: string | null;
                    /** @description The purpose of the key. */
                    readonly label: string;
                    /** @description Ids of the organisations that the key is limited to; empty for all organisations of its user. */
                    readonly scoped_organizations?: readonly string[];
                    /** @description Ids of the projects that the key is limited to; empty for all projects of its user. */
                    readonly scoped_teams?: readonly number[];
                    /** @description What the key may do; `*` is everything. Never more than the key that creates or changes it. */
                    readonly scopes: readonly ("*" | "cohort:read" | "cohort:write" | "dashboard:read" | "dashboard:write" | "early_access_feature:read" | "early_access_feature:write" | "event_definition:read" | "event_definition:write" | "export:read" | "export:write" | "feature_flag:read" | "feature_flag:write" | "group:read" | "group:write" | "insight:read" | "insight:write" | "organization:read" | "organization:write" | "organization_member:read" | "organization_member:write" | "person:read" | "person:write" | "personal_api_key:read" | "personal_api_key:write" | "project:read" | "project:write" | "property_definition:read" | "property_definition:write" | "query:read" | "query:write" | "session_recording_playlist:read" | "session_recording_playlist:write" | "survey:read" | "survey:write" | "user:read" | "user:write")[];
                };
            };
        };
        readonly responses: {
            /** @description The key. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PersonalAPIKey"];
                };
            };
        };
    };
    readonly personal_api_keys_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the key, or `@current` for the key of the request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PersonalAPIKey"];
                };
            };
        };
    };
    readonly personal_api_keys_destroy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the key, or `@current` for the key of the request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Revoked. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly personal_api_keys_partial_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of the key, or `@current` for the key of the request. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Time after which the key is refused; null for a key that does not expire. */
                    readonly expires_at?: string | null;
                    /** @description The purpose of the key. */
                    readonly label?: string;
                    /** @description Ids of the organisations that the key is limited to; empty for all organisations of its user. */
                    readonly scoped_organizations?: readonly string[];
                    /** @description Ids of the projects that the key is limited to; empty for all projects of its user. */
                    readonly scoped_teams?: readonly number[];
                    /** @description What the key may do; `*` is everything. Never more than the key that creates or changes it. */
                    readonly scopes?: readonly ("*" | "cohort:read" | "cohort:write" | "dashboard:read" | "dashboard:write" | "early_access_feature:read" | "early_access_feature:write" | "event_definition:read" | "event_definition:write" | "export:read" | "export:write" | "feature_flag:read" | "feature_flag:write" | "group:read" | "group:write" | "insight:read" | "insight:write" | "organization:read" | "organization:write" | "organization_member:read" | "organization_member:write" | "person:read" | "person:write" | "personal_api_key:read" | "personal_api_key:write" | "project:read" | "project:write" | "property_definition:read" | "property_definition:write" | "query:read" | "query:write" | "session_recording_playlist:read" | "session_recording_playlist:write" | "survey:read" | "survey:write" | "user:read" | "user:write")[];
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The key. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PersonalAPIKey"];
                };
            };
        };
    };
    readonly projects_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Project"][];
                    };
                };
            };
        };
    };
    readonly projects_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Whether the project is closed to members of the organisation who are not explicit members. Administrators and owners of the organisation see it nevertheless.
                     * @default false
                     */
                    readonly is_private?: boolean;
                    readonly name: string;
                    /**
                     * Format: uuid
                     * @description Id of the organisation; default: that of the key.
                     */
                    readonly organization?: string;
                };
            };
        };
        readonly responses: {
            /** @description The project. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    readonly schema_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
        };
    };
    readonly surveys_public_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Older name of `token`. */
                readonly api_key?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The surveys of a project, without archived ones. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PublicSurveys"];
                };
            };
        };
    };
    readonly users_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Items on a page; more than 1000 means 1000. */
                readonly limit?: number;
                /** @description Number of items before the page. */
                readonly offset?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of the list. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Number of items on all pages. */
                        readonly count: number;
                        /** @description URL of the next page. */
                        readonly next: string | null;
                        /** @description URL of the previous page. */
                        readonly previous: string | null;
                        readonly results: readonly components["schemas"]["Account"][];
                    };
                };
            };
        };
    };
    readonly users_retrieve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description UUID of the user, or `@me`. */
                readonly uuid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The user. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    readonly users_partial_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description UUID of the user, or `@me`. */
                readonly uuid: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: email
                     * @description Unique.
                     */
                    readonly email?: string;
                    readonly first_name?: string;
                    /** @description Settings of the user interface of the protocol; kept as they are. At most 4096 bytes of JSON. */
                    readonly hedgehog_config?: {
                        readonly [key: string]: unknown;
                    };
                    readonly last_name?: string;
                    /**
                     * @description What the user does; empty when unknown.
                     * @enum {unknown}
                     */
                    readonly role_at_organization?: "engineering" | "data" | "product" | "founder" | "leadership" | "marketing" | "sales" | "other" | "";
                    /** @description The version that the change is based on. If the stored one is newer, the change is refused (409). */
                    readonly version?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The user. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    readonly web_experiments_public_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Older name of `token`. */
                readonly api_key?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Default Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly experiments: readonly unknown[];
                    };
                };
            };
        };
    };
}
