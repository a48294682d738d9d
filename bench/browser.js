// In a page that has static/respondent/randomizer.js: milliseconds of a draw, and of as many bare
// calls of crypto.getRandomValues as a draw makes, the least of so many rounds.
({ table, draws, rounds }) => {
  const { report, verify } = randomizer;
  verify(table, table.epsilon);
  const answers = table.answers.length;
  const own = crypto.getRandomValues.bind(crypto);
  let calls = 0;
  crypto.getRandomValues = (array) => { calls += 1; return own(array); };
  const counted = 1_000;
  for (let i = 0; i < counted; i += 1) report(table, i % answers);
  delete crypto.getRandomValues;
  const words = Math.round((calls / counted) * draws);
  const timed = (work, times) => {
    const start = performance.now();
    for (let i = 0; i < times; i += 1) work(i);
    return (performance.now() - start) / draws;
  };
  let ours = Infinity;
  let bare = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    ours = Math.min(ours, timed((i) => report(table, i % answers), draws));
    bare = Math.min(bare, timed(() => crypto.getRandomValues(new Uint32Array(1))[0], words));
  }
  return { ours, bare, words: calls / counted };
}
