// As disk.test.ts, with the other errors of a disk.
import { failingCalls } from './failing-calls.ts'

failingCalls('EROFS')
failingCalls('EIO')
