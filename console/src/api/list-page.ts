/** A page of a list, with the total number of records. */
interface ListPage<Row> {
  total: number
  data: readonly Row[]
}

/** Also of a server that knows no pages and sends them all. */
export const pageIn = <Row>(answer: readonly Row[] | ListPage<Row>): ListPage<Row> =>
  'total' in answer ? answer : { total: answer.length, data: answer }
