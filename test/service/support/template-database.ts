/** A database of PostgreSQL with all tables, of which each test gets a copy. */
export const TEMPLATE_DATABASE = 'waymark_template'
