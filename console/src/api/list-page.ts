/** A page of a list, with the total number of records. */
interface ListPage<Row> {
  total: number
  data: readonly Row[]
}

/** Returns a page of a response. A server without paging returns all records. */
export const pageIn = <Row>(answer: readonly Row[] | ListPage<Row>): ListPage<Row> =>
  'total' in answer ? answer : { total: answer.length, data: answer }
