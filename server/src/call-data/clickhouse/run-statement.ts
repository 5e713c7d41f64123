import { addAbortSignal, Readable } from 'node:stream'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { ProtocolError, ResponseTooLargeError } from '../../adapters/outbound-http/errors.ts'
import { kibibyte, mebibyte } from '../../adapters/outbound-http/transport.ts'

/**
 * Runs statements with limits of time and bytes. The client itself limits only the wait for the next bytes, reads errors
 * of any length, and skips a last line without an end.
 */

/** A page of log lines and a batch of SIP have up to 8 MiB. JSON and a single large delivery can multiply it. */
const maxResponseBytes = 64 * mebibyte

/** Maximum size of an exception. The rest is not read. */
const maxErrorBytes = 64 * kibibyte

export interface Statement {
  text: string
  parameters?: Record<string, unknown>
  /** Data of an INSERT, in the format that the statement names. */
  data?: string
  settings: ClickHouseSettings
  signal?: AbortSignal | undefined
}

/** An exception of ClickHouse. */
export class StatementError extends Error {
  /** Code of the exception, such as 159 for TIMEOUT_EXCEEDED. Undefined if the response contains none. */
  readonly code: string | undefined

  constructor(text: string, code: string | undefined) {
    super(text)
    this.code = code ?? /Code: (\d{1,6})\. /.exec(text)?.[1]
  }
}

const readStart = async (stream: Readable): Promise<string> => {
  let text = ''
  for await (const chunk of stream as AsyncIterable<string>) {
    text += chunk
    if (text.length >= maxErrorBytes) break
  }
  return text.slice(0, maxErrorBytes)
}

const parseObject = (line: string): object | undefined => {
  try {
    const row: unknown = JSON.parse(line)
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? row : undefined
  } catch {
    return undefined
  }
}

/** Reads lines of JSON. ClickHouse can report an exception in the place of a row when it has already sent others. */
const readRows = async <Row>(stream: Readable): Promise<Row[]> => {
  const rows: Row[] = []
  let bytes = 0
  let incomplete = ''
  let exception: string | undefined
  for await (const chunk of stream as AsyncIterable<string>) {
    bytes += Buffer.byteLength(chunk)
    if (bytes > maxResponseBytes) throw new ResponseTooLargeError(maxResponseBytes)
    if (exception !== undefined) {
      exception += chunk
      if (exception.length >= maxErrorBytes) break
      continue
    }
    const lines = chunk.split('\n')
    lines[0] = incomplete + lines[0]
    incomplete = lines.pop() ?? ''
    for (const [position, line] of lines.entries()) {
      const row = parseObject(line)
      if (row === undefined) {
        exception = [...lines.slice(position), incomplete].join('\n')
        break
      }
      // The cast is safe: each query names its columns.
      rows.push(row as Row)
    }
  }
  exception ??= incomplete === '' ? undefined : incomplete
  if (exception !== undefined) throw new StatementError(exception.slice(0, maxErrorBytes), undefined)
  return rows
}

/**
 * Runs a statement and returns the rows of its result, which it requests as lines of JSON. A statement without a result
 * returns no rows.
 * @param timeoutMs time until the last byte of the response
 * @throws StatementError if ClickHouse reports an exception
 * @throws Error of the connection, or if the response exceeds a limit or is not from ClickHouse
 */
export const runStatement = async <Row>(
  client: ClickHouseClient,
  { text, parameters, data, settings, signal }: Statement,
  timeoutMs: number,
): Promise<Row[]> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  // The client ignores a signal that has aborted before.
  ended.throwIfAborted()
  try {
    const { stream, response_headers, http_status_code } = await client.exec({
      query: text,
      clickhouse_settings: settings,
      abort_signal: ended,
      ignore_error_response: true,
      ...(parameters ? { query_params: parameters } : {}),
      ...(data === undefined ? {} : { values: Readable.from([data], { objectMode: false }) }),
    })
    addAbortSignal(ended, stream).setEncoding('utf8')
    const code = response_headers['x-clickhouse-exception-code']
    if (code !== undefined || http_status_code !== 200)
      throw new StatementError(await readStart(stream), code?.toString())
    if (response_headers['x-clickhouse-query-id'] === undefined) {
      stream.destroy()
      throw new ProtocolError('The response is not from ClickHouse')
    }
    return await readRows<Row>(stream)
  } catch (error) {
    // The client reports an error of its own if the signal aborts.
    ended.throwIfAborted()
    throw error
  }
}
