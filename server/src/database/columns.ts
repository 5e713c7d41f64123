import type { ColumnType } from 'kysely'

/**
 * Builds table definitions. A definition determines the DDL of both engines, the checks when an existing database is
 * adopted, and the Kysely row types.
 */

type Kind =
  | { is: 'sid' }
  /**
   * `exact` texts are compared byte by byte on both engines. Others are case-insensitive, as with MySQL's default
   * collation.
   */
  | { is: 'text'; max: number; exact: boolean }
  | { is: 'longText' }
  | { is: 'bytes' }
  | { is: 'flag' }
  | { is: 'integer' }
  | { is: 'bigInteger' }
  | { is: 'real' }
  | { is: 'oneOf'; values: readonly string[] }
  | { is: 'dateTime' }
  | { is: 'timestamp' }

export interface Column<Select = unknown, Insert = unknown> {
  readonly kind: Kind
  readonly nullable: boolean
  readonly default?: string | number
  /** True if some jambonz installations lack the column. */
  readonly optional: boolean
  /** The parent table. The column refers to its primary key. */
  readonly references?: { table: string; cascade: boolean }
  readonly primary: boolean
  readonly unique: boolean
  /** Exists only for type inference. */
  readonly types?: ColumnType<Select, Insert, Insert>
}

const column = <T>(kind: Kind): Column<T, T> => ({
  kind,
  nullable: false,
  optional: false,
  primary: false,
  unique: false,
})

export const sid = () => column<string>({ is: 'sid' })
export const text = (max: number) => column<string>({ is: 'text', max, exact: false })
export const exactText = (max: number) => column<string>({ is: 'text', max, exact: true })
export const longText = () => column<string>({ is: 'longText' })
/** Up to 16 MB. */
export const bytes = () => column<Uint8Array>({ is: 'bytes' })
export const flag = () => column<0 | 1>({ is: 'flag' })
export const integer = () => column<number>({ is: 'integer' })
export const bigInteger = () => column<number>({ is: 'bigInteger' })
export const real = () => column<number>({ is: 'real' })
export const enumColumn = <const V extends string>(...values: V[]) => column<V>({ is: 'oneOf', values })
/** Read as ISO 8601 UTC text with milliseconds on both engines. */
export const dateTime = () => column<string>({ is: 'dateTime' })
export const timestamp = () => column<string>({ is: 'timestamp' })

/** Default of a date column: the time of the insert. */
export const now = 'now'

export const orNull = <S, I>(of: Column<S, I>): Column<S | null, I | null | undefined> => ({ ...of, nullable: true })
export const withDefault = <S, I>(
  of: Column<S, I>,
  value: (I & (string | number)) | typeof now,
): Column<S, I | undefined> => ({
  ...of,
  default: value,
})
export const primary = <S, I>(of: Column<S, I>): Column<S, I> => ({ ...of, primary: true })
export const unique = <S, I>(of: Column<S, I>): Column<S, I> => ({ ...of, unique: true })
export const optional = <S, I>(of: Column<S, I>): Column<S, I> => ({ ...of, optional: true })
export const references = <S, I>(of: Column<S, I>, parent: string, on = { cascade: false }): Column<S, I> => ({
  ...of,
  references: { table: parent, cascade: on.cascade },
})

export type Columns = Readonly<Record<string, Column>>

export interface Table<C extends Columns = Columns> {
  readonly columns: C
  /** Column lists of the indexes. */
  readonly indexes: readonly { unique: boolean; on: readonly string[] }[]
  /** True if some jambonz installations lack the whole table. */
  readonly optional: boolean
}

export const table = <const C extends Columns>(
  columns: C,
  more: { indexes?: readonly { unique?: boolean; on: readonly (keyof C & string)[] }[]; optional?: boolean } = {},
): Table<C> => ({
  columns,
  indexes: (more.indexes ?? []).map(({ unique: isUnique = false, on }) => ({ unique: isUnique, on })),
  optional: more.optional ?? false,
})

type OptionalKeys<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<infer _S, infer I> ? (undefined extends I ? K : never) : never
}[keyof C]

/** The Kysely row of a table definition. */
export type TableRow<T> =
  T extends Table<infer C>
    ? {
        [K in keyof C]: C[K] extends Column<infer S, infer I>
          ? ColumnType<S, I, K extends OptionalKeys<C> ? Exclude<I, undefined> | undefined : I>
          : never
      }
    : never
