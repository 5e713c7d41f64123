/** The few InfluxQL statements that writers send before they write, with the responses of InfluxDB 1.8. */

interface Series {
  name?: string
  columns: readonly string[]
  values: readonly (readonly (string | number | boolean)[])[]
}

export interface QueryResult {
  results: { statement_id: number; series?: Series[] }[]
}

/** Maximum number of statements per query. Each statement may list every database. */
const maxStatements = 16

/** `error` is the message of a 400 response. */
export type QueryOutcome = { ok: true; result: QueryResult } | { ok: false; error: string }

type Statement = { kind: 'show databases' } | { kind: 'show policies' } | { kind: 'create'; database: string }

const showDatabases = /^show\s+databases$/i
const showPolicies = /^show\s+retention\s+policies(?:\s+on\s+\S.*)?$/is
const createDatabase = /^create\s+database\s+(?:"((?:[^"\\]|\\.){1,255})"|([A-Za-z_][\w-]{0,254}))(?:\s+with\b.*)?$/is

/** Splits a query at semicolons outside quotes. */
const splitStatements = (query: string): string[] => {
  const statements: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < query.length; at += 1) {
    const character = query[at]
    if (character === '\\' && quoted) at += 1
    else if (character === '"') quoted = !quoted
    else if (character === ';' && !quoted) {
      statements.push(query.slice(start, at))
      start = at + 1
    }
  }
  return [...statements, query.slice(start)]
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

const parse = (statement: string): Statement | undefined => {
  if (showDatabases.test(statement)) return { kind: 'show databases' }
  if (showPolicies.test(statement)) return { kind: 'show policies' }
  const [, quoted, bare] = createDatabase.exec(statement) ?? []
  const database = quoted?.replace(/\\(.)/gs, '$1') ?? bare
  return database === undefined ? undefined : { kind: 'create', database }
}

const defaultPolicy: Series = {
  columns: ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'],
  values: [['autogen', '0s', '168h0m0s', 1, true]],
}

/** Limits the memory for created database names, which later queries list. */
const maxDatabases = 1000

const run = (statement: Statement, databases: Set<string>): { series?: Series[] } => {
  if (statement.kind === 'show databases')
    return { series: [{ name: 'databases', columns: ['name'], values: [...databases].map((name) => [name]) }] }
  if (statement.kind === 'show policies') return { series: [defaultPolicy] }
  if (databases.size < maxDatabases) databases.add(statement.database)
  return {}
}

/**
 * Executes the statements of a query. `databases` contains the known names; CREATE DATABASE adds to it. A query that
 * contains any other statement has no effect.
 */
export const executeQuery = (query: string, databases: Set<string>): QueryOutcome => {
  const statements: Statement[] = []
  const statementStrings = splitStatements(query)
  if (statementStrings.length > maxStatements)
    return { ok: false, error: `a query has at most ${maxStatements} statements` }
  for (const text of statementStrings) {
    const statement = parse(text)
    if (statement === undefined)
      return { ok: false, error: `error parsing query: not served here: ${text.slice(0, 60)}` }
    statements.push(statement)
  }
  if (statements.length === 0) return { ok: false, error: 'missing required parameter "q"' }
  const results = statements.map((statement, statement_id) => ({ statement_id, ...run(statement, databases) }))
  return { ok: true, result: { results } }
}
