/** A list that was asked for by page: what came of it, and how many there are. */
interface ListPage<Row> {
  total: number
  data: readonly Row[]
}

/** Also of a server that knows no pages and sends them all. */
export const pageIn = <Row>(answer: readonly Row[] | ListPage<Row>): ListPage<Row> =>
  'total' in answer ? answer : { total: answer.length, data: answer }
