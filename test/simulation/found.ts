/** A seed that has found a fault: in the whole simulation, by its own scenario. */
export interface Found {
  readonly scenario: string
  readonly seed: number
  readonly what: string
}

// What a seed does changes with the library and with the simulation, so these say little on their own once either has
// changed. They stay because they cost nothing, and new ones come on top.
export const found: readonly Found[] = [
  { scenario: 'trust', seed: 18, what: 'the trust store goes back when two write' },
  { scenario: 'trust', seed: 32, what: 'a page does not see that another one has changed trust' },
  { scenario: 'trust', seed: 118, what: 'a write that is done twice brings removed trust back' },
  { scenario: 'trust', seed: 256, what: 'two processes both say that they removed trust' },
  { scenario: 'creation', seed: 710, what: 'success without a private key, which its writer took back' },
  { scenario: 'creation', seed: 4432, what: 'success without a private key, which its writer took back' },
  { scenario: 'documents', seed: 13, what: '"taken" for an own write removes the version' },
  { scenario: 'agent', seed: 119, what: '"taken" for an own write removes the version of the agent document' },
  { scenario: 'agent', seed: 42, what: 'a failed write behind takes back what was stored' },
  { scenario: 'agent', seed: 2628, what: 'a failed write behind takes back what was stored' },
  { scenario: 'agent', seed: 45, what: 'after a conflict a page takes the storage for rolled back' },
  { scenario: 'agent', seed: 10077, what: 'a lost version of the agent document is still signed with' },
  { scenario: 'agent', seed: 6298, what: 'a write behind that failed is taken for a rollback' },
  { scenario: 'documents', seed: 11, what: 'a write on its way hides a version that is stored' },
  { scenario: 'documents', seed: 42, what: 'a page that opens while others write takes the storage for rolled back' },
  { scenario: 'documents', seed: 650, what: 'a page does not list a document that it has updated' },
  { scenario: 'disturbed', seed: 71, what: 'an update by exact key forks over a known rollback' },
  { scenario: 'disturbed', seed: 19, what: 'rubbish that was never verified is remembered as seen' },
  { scenario: 'disturbed', seed: 2168, what: 'what was seen goes back on a read that was overtaken' },
  { scenario: 'passwords', seed: 4, what: 'two changes of the password both succeed' },
  { scenario: 'passwords', seed: 60, what: 'a password that was replaced opens the key again' },
  { scenario: 'passwords', seed: 151, what: 'the saved password does not open the key' },
  {
    scenario: 'creation',
    seed: 89,
    what: 'a configuration prepared for another storage makes an agent that never loads',
  },
  { scenario: 'creation', seed: 132, what: 'an adopted agent loses its key to who began it' },
  { scenario: 'creation', seed: 5878, what: 'an agent of another configuration is adopted and taken back' },
  { scenario: 'creation', seed: 210, what: 'public keys of agents that never were stay behind' },
  { scenario: 'agent', seed: 64376, what: 'an agent loaded while a version was on its way keeps it after it was lost' },
  { scenario: 'trust', seed: 49571, what: 'a decision passes for written, because an older one held the same bytes' },
  { scenario: 'trust', seed: 73717, what: 'a decision passes for written, because an older one held the same bytes' },
  { scenario: 'documents', seed: 5, what: 'opening a mirror rejects a Promise that nobody hears of' },
  { scenario: 'trust', seed: 54, what: 'K16: the model blames the wrong call for a change of the trust store' },
  {
    scenario: 'shared',
    seed: 365,
    what: 'a page that has read a witness, not its decision, denies that there is trust',
  },
  { scenario: 'shared', seed: 1062, what: 'the model takes the copy of a second agent for younger than its process' },
  {
    scenario: 'shared',
    seed: 1607,
    what: 'the model knows no removal that the storage refuses before the next decision',
  },
  { scenario: 'documents', seed: 4128, what: 'the model forgets a write behind that is still on its way' },
  {
    scenario: 'rotation',
    seed: 575,
    what: 'a change of the password calls the key of a rotation of its process foreign',
  },
  { scenario: 'keys', seed: 2699, what: 'a revocation that is read with a rotation before it hides the rotation' },
  { scenario: 'keys', seed: 5909, what: 'loading that ends late publishes the key that its process has replaced' },
  { scenario: 'signers', seed: 25, what: 'load denies the key that is just handed to an external signer' },
  { scenario: 'signers', seed: 494, what: 'a process that died while it handed the key over leaves a private key' },
  { scenario: 'signers', seed: 1953, what: 'a flush is told that there is no agent, because it is loaded again' },
  { scenario: 'signers', seed: 3126, what: 'the model takes what a page has in memory for the latest version' },
  { scenario: 'signers', seed: 3728, what: 'the model does not know what a clock said during a call' },
  { scenario: 'signers', seed: 3792, what: 'the model does not know that a page remembers a rotation' },
  { scenario: 'backups', seed: 1433, what: 'a page takes a gap in its memory for a damaged store' },
  { scenario: 'backups', seed: 1420, what: 'a page takes a gap in its memory for a damaged store' },
  { scenario: 'backups', seed: 90, what: 'a page saves the trust from before its own decision' },
  { scenario: 'restoring', seed: 268, what: 'an import that fails takes away what another one has staged' },
  { scenario: 'restoring', seed: 1497, what: 'an import that fails takes away what another one has staged' },
  {
    scenario: 'pages',
    seed: 4791,
    what: 'what a page was just told is not in its memory, because of a write that had ended',
  },
  { scenario: 'pages', seed: 6641, what: 'flush says done of a write that has lost its place' },
  { scenario: 'keys', seed: 14792, what: 'a page that is loaded again forgets what it has written behind' },
  {
    scenario: 'everything',
    seed: 15589,
    what: 'the model does not know that a write is given up with the one before it',
  },
]
