import type { FetchQueryOptions } from '@tanstack/react-query'
import type { Screen, ScreenParams } from './define-screen.ts'

/** A record that the command palette found. */
export interface FoundRecord {
  label: string
  sid: string
  /** Other texts by which the palette finds the record, such as the email address of a user. */
  also?: string
  link: { to: string; params: Readonly<Record<string, string>>; search?: Readonly<Record<string, string>> }
}

/** Functions of the command palette that find records. */
export interface RecordReader {
  service_provider_sid: string
  /** Returns the result of a query that is at most a minute old. */
  read: <Result, Key extends readonly unknown[]>(
    query: FetchQueryOptions<Result, Error, Result, Key>,
  ) => Promise<Result>
  /** Returns those records of a query whose accounts belong to the service provider. */
  readOfAccounts: <Row extends { account_sid: string }, Key extends readonly unknown[]>(
    query: FetchQueryOptions<Row[], Error, Row[], Key>,
  ) => Promise<Row[]>
  /** Converts records to those that the palette shows. */
  toFoundRecords: <Row, Path extends string>(
    link: RecordLink<Row, Path>,
    rows: readonly Row[],
    /** Returns other texts by which the palette finds the record. */
    toAlso?: (row: Row) => string,
  ) => readonly FoundRecord[]
}

/** Returns all records of the reader's service provider. */
export type FindRecords = (reader: RecordReader) => Promise<readonly FoundRecord[]>

/** The module that finds the records of a resource for the command palette. */
export interface RecordsModule {
  findRecords: FindRecords
  /** Returns a record for a SID that is not among the records, because the server may still know it. */
  findUnknown?: (sid: string, reader: RecordReader) => readonly FoundRecord[]
}

/** Identifies, names, and opens the records of a resource, in lists and in the command palette. */
export interface RecordLink<Row, Path extends string> {
  to: Screen<Path>
  toParams: (row: Row) => ScreenParams<Path>
  /** Returns the SID of a record. */
  rowKey: (row: Row) => string
  /** Returns the name of a record, for links and for the labels of buttons. */
  toName: (row: Row) => string | null
  /** Returns false for a record that the user can see but not open. */
  canOpen: (row: Row) => boolean
}

/**
 * Describes the records of a resource. Call it outside of components, because new functions render all rows again.
 * @param to the screen of a record, whose only path parameter is the SID
 */
export const recordLink = <Path extends string, Row extends ScreenParams<Path>>(
  to: Screen<Path>,
  toName: (row: Row) => string | null,
  canOpen: (row: Row) => boolean = () => true,
): RecordLink<Row, Path> => {
  const sidName = /\$(\w+)/.exec(to.path)?.[1] ?? ''
  // `Row` has a member for each path parameter.
  const rowKey = (row: Row): string => (row as Readonly<Record<string, string>>)[sidName] ?? ''
  const toParams = (row: Row) => ({ [sidName]: rowKey(row) }) as ScreenParams<Path>
  return {
    to,
    toParams,
    rowKey,
    toName,
    canOpen,
  }
}
