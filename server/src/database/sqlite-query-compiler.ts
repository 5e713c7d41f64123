import { type BinaryOperationNode, OperatorNode, SqliteQueryCompiler } from 'kysely'

/**
 * Compiles queries whose plan does not depend on the values of their parameters.
 *
 * SQLite 3.54 prepares a statement with several tables again whenever a parameter that is compared with a column gets a
 * value, because it reads the values to choose the plan. That took half of the CPU time of short reads on Node.js 26.12.
 * SQLite does not read the value of an expression, and the unary plus changes neither the value, the use of indexes,
 * nor the collation (https://www.sqlite.org/lang_expr.html#operators).
 */
export class StablePlanQueryCompiler extends SqliteQueryCompiler {
  #isPattern = false

  /** SQLite has to read a pattern to search for its beginning in an index. */
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    this.#isPattern = OperatorNode.is(node.operator) && node.operator.operator === 'like'
    super.visitBinaryOperation(node)
    this.#isPattern = false
  }

  protected override getCurrentParameterPlaceholder(): string {
    return this.#isPattern ? '?' : '+?'
  }
}
