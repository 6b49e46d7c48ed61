mod hostile;
mod pairs;
