// A ClickHouse server for tests: chDB (ClickHouse as a library) behind the HTTP interface of ClickHouse
// (https://clickhouse.com/docs/interfaces/http), as far as clients use it: statements in the URL or the body,
// parameters, settings, formats, compression, summaries, and exceptions. It is a process of its own, because the
// library is native and an operating system signal has to be able to end it at any time.
//
//   node http-interface.mjs CHDB_PACKAGE DATA_FOLDER PORT USERNAME PASSWORD
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

const [chdbPackage = '', dataFolder = '', port = '0', username = 'default', password = ''] = process.argv.slice(2)
const { Session, version } = createRequire(import.meta.url)(chdbPackage)

/** URL parameters that are neither settings nor parameters of the statement. */
const reserved = new Set(
  (
    'query database user password default_format query_id session_id role readonly enable_http_compression ' +
    'http_zlib_compression_level wait_end_of_query send_progress_in_http_headers ' +
    'cancel_http_readonly_queries_on_client_close'
  ).split(' '),
)

/** HTTP status by exception code, as in the server's HTTPHandler. Every other exception is a 500. */
const statuses = new Map([
  ...[27, 36, 41, 42, 43, 44, 46, 47, 53, 62, 69, 70, 158, 307, 396, 456].map((code) => [code, 400]),
  ...[60, 81].map((code) => [code, 404]),
  ...[192, 193, 497, 516].map((code) => [code, 403]),
  [159, 408],
])

class ClickHouseError extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

/** Reads the code from the text of an exception of the library. */
const toError = (error) => {
  const text = String(error?.message ?? error).replace(/^Query failed: /, '')
  return new ClickHouseError(Number(/Code: (\d+)\./.exec(text)?.[1] ?? 1001), text)
}

const quote = (text) => `'${text.replaceAll(/[\\']/g, (character) => `\\${character}`)}'`

const isInsert = (statement) => /^\s*INSERT\s/i.test(statement)

/**
 * Adds the settings of a request to its statement, because the settings of a session would also apply to statements of
 * other requests. An INSERT has them before its data.
 */
const withSettings = (statement, settings) => {
  if (settings.length === 0) return statement
  const clause = `SETTINGS ${settings.map(([name, value]) => `${name} = ${quote(value)}`).join(', ')}`
  if (isInsert(statement)) return statement.replace(/\s(FORMAT|VALUES|SELECT)\s/i, (keyword) => ` ${clause}${keyword}`)
  return /^\s*(SELECT|WITH|EXPLAIN)\s/i.test(statement) ? `${statement}\n${clause}` : statement
}

/** Replaces an absent format. Inserted data follows its own format, and a deletion has no result. */
const withFormat = (statement, format) =>
  format && !/^\s*(INSERT|DELETE)\s/i.test(statement) && !/\sFORMAT\s+\w+\s*$/i.test(statement)
    ? `${statement}\nFORMAT ${format}`
    : statement

const readBody = async (request) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  return request.headers['content-encoding'] === 'gzip' ? promisify(gunzip)(body) : body
}

const getCredentials = ({ headers }, query) => {
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1]
  if (basic) return Buffer.from(basic, 'base64').toString()
  if (headers['x-clickhouse-user']) return `${headers['x-clickhouse-user']}:${headers['x-clickhouse-key'] ?? ''}`
  return `${query.get('user') ?? 'default'}:${query.get('password') ?? ''}`
}

const session = new Session(dataFolder)
/** The library runs the statements of a session one after another, but the current database belongs to the session. */
let previous = Promise.resolve()
let currentDatabase = ''

const run = (statement, database, parameters) => {
  const running = previous.then(async () => {
    try {
      if (database !== currentDatabase) await session.queryAsync(`USE "${database.replaceAll('"', '')}"`)
      currentDatabase = database
      return Object.keys(parameters).length > 0
        ? await session.queryBindAsync(statement, parameters)
        : await session.queryAsync(statement)
    } catch (error) {
      throw toError(error)
    }
  })
  previous = running.catch(() => {})
  return running
}

/** Parameters arrive in the escaped text form of their type, which the statement names. */
const parseParameter = (name, text, statement) => {
  if (text === '\\N') return null
  if (!new RegExp(`\\{${name}:\\s*Array\\(`).test(statement)) return unescape(text)
  return [...text.matchAll(/'((?:\\.|[^'\\])*)'|(-?\d+)/gs)].map(([, quoted, number]) =>
    number === undefined ? unescape(quoted) : BigInt(number),
  )
}
const escapes = { n: '\n', t: '\t', r: '\r', 0: '\0', b: '\b', f: '\f' }
const unescape = (text) => text.replaceAll(/\\(.)/gs, (_, character) => escapes[character] ?? character)

const execute = async (request, query) => {
  if (getCredentials(request, query) !== `${username}:${password}`)
    throw new ClickHouseError(
      516,
      `Code: 516. DB::Exception: ${query.get('user') ?? 'default'}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
    )
  const text = [query.get('query'), (await readBody(request)).toString()].filter(Boolean).join('\n')
  const settings = [...query].filter(([name]) => !reserved.has(name) && !name.startsWith('param_'))
  const parameters = Object.fromEntries(
    [...query]
      .filter(([name]) => name.startsWith('param_'))
      .map(([name, value]) => [name.slice(6), parseParameter(name.slice(6), value, text)]),
  )
  const formatted = withFormat(text.replace(/;\s*$/, ''), query.get('default_format') ?? 'TabSeparated')
  const statement = withSettings(formatted, settings)
  return run(statement, query.get('database') ?? 'default', parameters)
}

const send = async (request, query, response, status, headers, body) => {
  const isCompressed =
    query.get('enable_http_compression') === '1' && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  response.writeHead(status, { ...headers, ...(isCompressed ? { 'content-encoding': 'gzip' } : {}) })
  response.end(isCompressed ? await promisify(gzip)(body) : body)
}

const respond = async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const query = url.searchParams
  if (url.pathname === '/ping') return response.end('Ok.\n')
  const started = performance.now()
  try {
    const result = await execute(request, query)
    const summary = {
      read_rows: String(result.rowsRead),
      read_bytes: String(result.bytesRead),
      elapsed_ns: String(Math.round((performance.now() - started) * 1e6)),
    }
    const headers = {
      'x-clickhouse-summary': JSON.stringify(summary),
      'x-clickhouse-query-id': query.get('query_id') ?? '',
      'content-type': 'text/plain; charset=UTF-8',
    }
    return await send(request, query, response, 200, headers, Buffer.from(result.bytes()))
  } catch (error) {
    const { code = 1001, message } = error instanceof ClickHouseError ? error : toError(error)
    const headers = { 'x-clickhouse-exception-code': String(code), 'content-type': 'text/plain; charset=UTF-8' }
    const text = `${message} (version ${version().libchdb ?? ''})\n`
    return await send(request, query, response, statuses.get(code) ?? 500, headers, Buffer.from(text))
  }
}

const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => void respond(request, response))
server.on('error', (error) => {
  // Other servers report the same text, which makes the tests try another port.
  process.stderr.write(`Address already in use: ${error.message}\n`)
  process.exit(1)
})
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('Ready for connections\n'))
